import { clipBytes } from './clip.ts';
import type { Message } from './message.ts';
import type { Service } from './service.ts';

/** Beyond it a message becomes a file (docs.ntfy.sh/publish/#limitations). */
const MESSAGE_BYTES_MAX = 4096;
const TITLE_BYTES_MAX = 250;

/** 1 to 5; 3 is what makes no difference (docs.ntfy.sh/publish/#message-priority). */
const PRIORITIES = { ok: 3, warning: 3, critical: 5, unknown: 4 } as const;
/** Names of emojis, which show in front of the title (docs.ntfy.sh/emojis). */
const TAGS = { ok: 'white_check_mark', warning: 'warning', critical: 'rotating_light', unknown: 'question' } as const;

/** Topics of ntfy, by JSON (docs.ntfy.sh/publish/#publish-as-json). */
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

/** Never empty: ntfy would say `triggered` in its place. */
function textOf({ output, facts }: Message): string {
  const known = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return output === '' ? known : `${output}\n\n${known}`;
}
