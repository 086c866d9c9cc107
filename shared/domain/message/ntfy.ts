import { clipBytes } from './clip.ts';
import type { Message } from './message.ts';
import type { Service } from './service.ts';

/** Maximum size of a message in bytes; ntfy converts larger ones to files (docs.ntfy.sh/publish/#limitations). */
const MESSAGE_BYTES_MAX = 4096;
const TITLE_BYTES_MAX = 250;

/** The priority of each severity at ntfy, from 1 to 5; 3 is the default (docs.ntfy.sh/publish/#message-priority). */
const PRIORITIES = { ok: 3, warning: 3, critical: 5, unknown: 4 } as const;
/** The emoji that ntfy shows before the title for each severity (docs.ntfy.sh/emojis). */
const TAGS = { ok: 'white_check_mark', warning: 'warning', critical: 'rotating_light', unknown: 'question' } as const;

/** Adapter that publishes messages to a topic of ntfy as JSON (docs.ntfy.sh/publish/#publish-as-json). */
export const ntfy: Service = {
  escape: (text) => text,
  request: (message, { url, topic, api_token: token }) => {
    const shown = message.kind === 'resolved' ? 'ok' : message.severity;
    return {
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: {
        topic,
        title: clipBytes(message.title, TITLE_BYTES_MAX),
        message: clipBytes(message.text?.trim() || textOf(message), MESSAGE_BYTES_MAX),
        priority: PRIORITIES[shown],
        tags: [TAGS[shown]],
      },
    };
  },
};

/** Returns output and facts of a message as text. It is never empty: ntfy would show an empty text as `triggered`. */
function textOf({ output, facts }: Message): string {
  const factLines = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return output === '' ? factLines : `${output}\n\n${factLines}`;
}
