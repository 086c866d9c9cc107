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
    const { facts, links, command, eventUrl } = message;
    const fields = [
      ...facts.map(([name, value]) => ({ title: name, value: escapeMarkdown(value), short: true })),
      ...(links.length === 0 ? [] : [{ title: 'Links', value: links.map(markdownLink).join(' · '), short: true }]),
      ...(command === undefined ? [] : [{ title: 'Command', value: codeSpan(command), short: false }]),
    ];
    const attachment = {
      fallback: title,
      color: colorOf(message),
      title: escapeMarkdown(title),
      ...(eventUrl !== undefined && { title_link: eventUrl }),
      text,
      fields,
    };
    return { url, headers: {}, body: { attachments: [attachment] } };
  },
};
