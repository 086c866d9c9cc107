import { clipText } from './clip.ts';
import { fieldsOf, problemKey } from './message.ts';
import { codeBlock, escapeMarkdown, type Service } from './service.ts';

/* incident.io documents no maximum lengths, so these are as long as a message can usefully be. */
const TITLE_MAX = 300;
const KEY_MAX = 255;
const DESCRIPTION_MAX = 15_000;

/**
 * Adapter for an HTTP alert source of incident.io (docs.incident.io/api-reference/alert-events-v2/createhttp). Its
 * events have only the statuses `firing` and `resolved`, so an acknowledged problem is still firing.
 */
export const incidentIo: Service = {
  escape: escapeMarkdown,
  request: (message, { url, api_token: token = '' }) => {
    const { kind, severity, title, output, text, eventUrl, namespace } = message;
    return {
      url,
      headers: { authorization: `Bearer ${token}` },
      body: {
        title: clipText(title, TITLE_MAX),
        status: kind === 'resolved' ? 'resolved' : 'firing',
        deduplication_key: problemKey(message, KEY_MAX),
        description:
          text === undefined ? codeBlock(clipText(output, DESCRIPTION_MAX)) : clipText(text, DESCRIPTION_MAX),
        ...(eventUrl !== undefined && { source_url: eventUrl }),
        metadata: { ...fieldsOf(message), severity, namespace },
      },
    };
  },
};
