import type { MessageButtons } from '../chat/button.ts';
import { clipText } from './clip.ts';
import { codeBlock, codeSpan, colorOf, escapeMarkdown, markdownLink, type Service } from './service.ts';

/**
 * Maximum length of the text. A post can have 16,383 characters, but older servers store at most 8,000 characters of
 * its attachments and count some twice (docs.mattermost.com/developers/integrate/webhooks/incoming).
 */
const TEXT_MAX = 3500;
const TITLE_MAX = 300;

/** Adapter for incoming webhooks of Mattermost (developers.mattermost.com/integrate/reference/message-attachments). */
export const mattermost: Service = {
  escape: escapeMarkdown,
  request: (message, { url }) => {
    const title = clipText(message.title, TITLE_MAX);
    const text =
      message.text === undefined
        ? codeBlock(clipText(message.remainingOutput, TEXT_MAX - 8))
        : clipText(message.text, TEXT_MAX);
    const { facts, links, command, eventUrl, note, buttons } = message;
    const fields = [
      ...facts.map(([name, value]) => ({ title: name, value: escapeMarkdown(value), short: true })),
      ...(links.length === 0 ? [] : [{ title: 'Links', value: links.map(markdownLink).join(' · '), short: true }]),
      ...(command === undefined ? [] : [{ title: 'Command', value: codeSpan(command), short: false }]),
      ...(note === undefined ? [] : [{ title: 'Action', value: escapeMarkdown(note), short: false }]),
    ];
    const attachment = {
      fallback: title,
      color: colorOf(message),
      title: escapeMarkdown(title),
      ...(eventUrl !== undefined && { title_link: eventUrl }),
      text,
      fields,
      ...(buttons !== undefined && buttons.buttons.length > 0 && { actions: actionsOf(buttons) }),
    };
    return { url, headers: {}, body: { attachments: [attachment] } };
  },
};

/**
 * Returns the buttons as actions (developers.mattermost.com/integrate/plugins/interactive-messages). Mattermost does
 * not send the URL and the context to its clients, so they are secret. An id must have only letters and digits.
 */
function actionsOf({ callbackUrl, buttons }: MessageButtons): object[] {
  return buttons.map(({ action, label, value }) => ({
    id: action,
    type: 'button',
    name: label,
    integration: { url: callbackUrl, context: { value } },
  }));
}
