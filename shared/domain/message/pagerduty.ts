import { clipText } from './clip.ts';
import { fieldsOf, problemKey, type Message } from './message.ts';
import type { Service } from './service.ts';

const SUMMARY_MAX = 1024;
const KEY_MAX = 255;
/** Maximum length of the output; PagerDuty accepts events of at most 512 KiB. */
const OUTPUT_MAX = 32 * 1024;

const EVENT_ACTIONS_BY_KIND = { problem: 'trigger', acknowledged: 'acknowledge', resolved: 'resolve' } as const;
const PAGERDUTY_SEVERITIES = { ok: 'info', warning: 'warning', critical: 'critical', unknown: 'error' } as const;

/** Adapter for the Events API v2 of PagerDuty (developer.pagerduty.com/docs/send-alert-event). */
export const pagerduty: Service = {
  escape: (text) => text,
  request: (message, { url, routing_key: routingKey }) => {
    const { links, eventUrl } = message;
    return {
      url,
      headers: {},
      body: {
        routing_key: routingKey,
        event_action: EVENT_ACTIONS_BY_KIND[message.kind],
        dedup_key: problemKey(message, KEY_MAX),
        // To acknowledge or resolve an existing alert, its `dedup_key` is sufficient.
        ...(message.kind === 'problem' && {
          client: 'mon',
          // PagerDuty shows the name of the client as a link to this URL.
          ...(eventUrl !== undefined && { client_url: eventUrl }),
          payload: payloadOf(message),
          ...(links.length > 0 && { links }),
        }),
      },
    };
  },
};

function payloadOf(message: Message): object {
  const { title, client, check, severity, namespace, remainingOutput, text, time } = message;
  const details = text ?? remainingOutput;
  return {
    summary: clipText(title, SUMMARY_MAX),
    source: client,
    severity: PAGERDUTY_SEVERITIES[severity],
    ...(time !== undefined && { timestamp: time }),
    component: check,
    group: namespace,
    custom_details: {
      ...fieldsOf(message),
      ...(details !== '' && { Output: clipText(details, OUTPUT_MAX) }),
    },
  };
}
