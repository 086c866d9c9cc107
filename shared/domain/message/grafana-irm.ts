import { clipText } from './clip.ts';
import { problemKey, type Message } from './message.ts';
import { factLinesOf, type Service } from './service.ts';

/* Grafana IRM documents no maximum lengths; a message is cut where it stops being useful. */
const TITLE_MAX = 300;
const KEY_MAX = 255;
const MESSAGE_MAX = 15_000;

/**
 * Adapter for an integration of the type "Formatted Webhook" of Grafana IRM and Grafana OnCall
 * (grafana.com/docs/grafana-cloud/alerting-and-irm/irm, "Configure OnCall incoming webhooks"). Its alerts have only the
 * states `alerting` and `ok`, so an acknowledged problem is still alerting.
 */
export const grafanaIrm: Service = {
  escape: (text) => text,
  request: (message, { url }) => {
    const { eventUrl } = message;
    return {
      url,
      headers: {},
      body: {
        alert_uid: problemKey(message, KEY_MAX),
        title: clipText(message.title, TITLE_MAX),
        state: message.kind === 'resolved' ? 'ok' : 'alerting',
        message: clipText(message.text?.trim() || textOf(message), MESSAGE_MAX),
        ...(eventUrl !== undefined && { link_to_upstream_details: eventUrl }),
      },
    };
  },
};

function textOf(message: Message): string {
  const { output, links, command = '' } = message;
  const linkLines = links.map(({ text, href }) => `${text}: ${href}`);
  return [output, [...factLinesOf(message), ...linkLines].join('\n'), command]
    .filter((part) => part !== '')
    .join('\n\n');
}
