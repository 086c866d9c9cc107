import { clipBytes } from './clip.ts';
import type { Message } from './message.ts';
import { factLinesOf, type Service } from './service.ts';

/** Maximum size of a message in bytes; ntfy converts larger ones to files (docs.ntfy.sh/publish/#limitations). */
const MESSAGE_BYTES_MAX = 4096;
const TITLE_BYTES_MAX = 250;

/** The priority of each severity at ntfy, from 1 to 5; 3 is the default (docs.ntfy.sh/publish/#message-priority). */
const SEVERITY_PRIORITIES = { ok: 3, warning: 3, critical: 5, unknown: 4 } as const;
/** The emoji that ntfy shows before the title for each severity (docs.ntfy.sh/emojis). */
const SEVERITY_TAGS = {
  ok: 'white_check_mark',
  warning: 'warning',
  critical: 'rotating_light',
  unknown: 'question',
} as const;

/** Adapter that publishes messages to a topic of ntfy as JSON (docs.ntfy.sh/publish/#publish-as-json). */
export const ntfy: Service = {
  escape: (text) => text,
  request: (message, { url, topic, api_token: token }) => {
    const { links, eventUrl } = message;
    const shown = message.kind === 'resolved' ? 'ok' : message.severity;
    return {
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      body: {
        topic,
        title: clipBytes(message.title, TITLE_BYTES_MAX),
        message: clipBytes(message.text?.trim() || textOf(message), MESSAGE_BYTES_MAX),
        priority: SEVERITY_PRIORITIES[shown],
        tags: [SEVERITY_TAGS[shown]],
        ...(eventUrl !== undefined && { click: eventUrl }),
        // Notifications on phones show at most three buttons (docs.ntfy.sh/publish/#action-buttons).
        ...(links.length > 0 && {
          actions: links.slice(0, 3).map(({ text, href }) => ({ action: 'view', label: text, url: href })),
        }),
      },
    };
  },
};

/**
 * Returns the output, the facts and the command of a message as text. It is never empty: ntfy would show an empty text
 * as `triggered`.
 */
function textOf(message: Message): string {
  const { remainingOutput, command = '' } = message;
  // The facts come first if the output is long, because a long message is cut at its end.
  const parts = [remainingOutput, factLinesOf(message).join('\n'), command].filter((part) => part !== '');
  return parts.join('\n\n');
}
