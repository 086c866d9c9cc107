import { clip } from './clip.ts';
import { codeBlock, colorOf, escapeMarkdown, markdownFact, type Service } from './service.ts';

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
    const title = clip(message.title, TITLE_MAX);
    const text =
      message.text === undefined ? codeBlock(clip(message.output, TEXT_MAX - 8)) : clip(message.text, TEXT_MAX);
    const fields = message.facts.map(([name, value]) => ({ title: name, value: markdownFact(value), short: true }));
    const attachment = { fallback: title, color: colorOf(message), title: escapeMarkdown(title), text, fields };
    return { url, headers: {}, body: { attachments: [attachment] } };
  },
};
