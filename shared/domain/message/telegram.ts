import { clip } from './clip.ts';
import type { Message } from './message.ts';
import { urlBelow, escapeHtml, type Service } from './service.ts';

/** Maximum number of characters in a Telegram message without its markup (core.telegram.org/bots/api#sendmessage). */
const TEXT_MAX = 4096;
const TITLE_MAX = 300;

/** Adapter for bots of Telegram (core.telegram.org/bots/api#sendmessage), with the markup `HTML`. */
export const telegram: Service = {
  escape: escapeHtml,
  request: (message, { url, api_token: token = '', chat }) => ({
    url: urlBelow(url, `/bot${token}/sendMessage`),
    headers: {},
    body: { chat_id: chat, ...textOf(message), link_preview_options: { is_disabled: true } },
  }),
};

function textOf({ title: fullTitle, output, text, facts }: Message): object {
  const title = clip(fullTitle, TITLE_MAX);
  if (text !== undefined) {
    const marked = `<b>${escapeHtml(title)}</b>\n${text}`;
    // Telegram rejects a message whose markup is incomplete, so a text that must be cut is sent without markup.
    return marked.length <= TEXT_MAX ? html(marked) : { text: clip(withoutMarkup(marked), TEXT_MAX) };
  }
  const factLines = clip(facts.map(([name, value]) => `${name}: ${value}`).join('\n'), 1000);
  const said = clip(output, TEXT_MAX - title.length - factLines.length - 2);
  const middle = said === '' ? '' : `<pre>${escapeHtml(said)}</pre>\n`;
  return html(`<b>${escapeHtml(title)}</b>\n${middle}${escapeHtml(factLines)}`);
}

function html(text: string): object {
  return { text, parse_mode: 'HTML' };
}

function withoutMarkup(text: string): string {
  return text
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
