import { clip } from './clip.ts';
import { problemKey, RUNBOOK_FACT, type Message } from './message.ts';
import type { Service } from './service.ts';

const SUMMARY_MAX = 1024;
const KEY_MAX = 255;
/** Maximum length of the output; PagerDuty accepts events of at most 512 KiB. */
const OUTPUT_MAX = 32 * 1024;

const ACTIONS = { problem: 'trigger', acknowledged: 'acknowledge', resolved: 'resolve' } as const;
const SEVERITIES = { ok: 'info', warning: 'warning', critical: 'critical', unknown: 'error' } as const;

/** Adapter for the Events API v2 of PagerDuty (developer.pagerduty.com/docs/send-alert-event). */
export const pagerduty: Service = {
  escape: (text) => text,
  request: (message, { url, routing_key: routingKey }) => ({
    url,
    headers: {},
    body: {
      routing_key: routingKey,
      event_action: ACTIONS[message.kind],
      dedup_key: problemKey(message, KEY_MAX),
      // To acknowledge or resolve an existing alert, its `dedup_key` is sufficient.
      ...(message.kind === 'problem' && {
        client: 'mon',
        payload: payloadOf(message),
        ...(message.runbook !== undefined && { links: [{ href: message.runbook, text: RUNBOOK_FACT }] }),
      }),
    },
  }),
};

function payloadOf(message: Message): object {
  const { title, client, check, severity, namespace, output, text, facts, time } = message;
  return {
    summary: clip(title, SUMMARY_MAX),
    source: client,
    severity: SEVERITIES[severity],
    ...(time !== undefined && { timestamp: time }),
    component: check,
    group: namespace,
    custom_details: { ...Object.fromEntries(facts), Output: clip(text ?? output, OUTPUT_MAX) },
  };
}
