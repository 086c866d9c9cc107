import { clipText } from './clip.ts';
import type { Message } from './message.ts';
import { appendUrlPath, escapeHtml, factLinesOf, htmlLink, type Service } from './service.ts';

/** Maximum number of characters in a Telegram message without its markup (core.telegram.org/bots/api#sendmessage). */
const TEXT_MAX = 4096;
const TITLE_MAX = 300;
/** Maximum number of characters of the links and the command at the end of a message, without markup. */
const TAIL_MAX = 600;

/** Adapter for bots of Telegram (core.telegram.org/bots/api#sendmessage), with the markup `HTML`. */
export const telegram: Service = {
  escape: escapeHtml,
  request: (message, { url, api_token: token = '', chat }) => ({
    url: appendUrlPath(url, `/bot${token}/sendMessage`),
    headers: {},
    body: { chat_id: chat, ...textOf(message), link_preview_options: { is_disabled: true }, ...keyboardOf(message) },
  }),
};

function textOf(message: Message): object {
  const { text, links, command, note } = message;
  const title = clipText(message.title, TITLE_MAX);
  const noteLine = note === undefined ? '' : `\n<b>${escapeHtml(note)}</b>`;
  if (text !== undefined) {
    const marked = `<b>${escapeHtml(title)}</b>\n${text}${noteLine}`;
    // Telegram rejects a message whose markup is incomplete, so a text that must be cut is sent without markup.
    return marked.length <= TEXT_MAX ? htmlMessage(marked) : { text: clipText(removeMarkup(marked), TEXT_MAX) };
  }
  const factLines = clipText(factLinesOf(message).join('\n'), 1000);
  const linkLine = links.length === 0 ? '' : `\n${links.map(htmlLink).join(' · ')}`;
  const commandLine = command === undefined ? '' : `\n<code>${escapeHtml(command)}</code>`;
  // The texts of links and the command are short: together with their line ends they have fewer than 600 characters.
  const output = clipText(
    message.remainingOutput,
    TEXT_MAX - title.length - factLines.length - TAIL_MAX - noteLine.length,
  );
  const middle = output === '' ? '' : `<pre>${escapeHtml(output)}</pre>\n`;
  const facts = escapeHtml(factLines);
  return htmlMessage(`<b>${escapeHtml(title)}</b>\n${middle}${facts}${linkLine}${commandLine}${noteLine}`);
}

/** Returns the buttons of a message as an inline keyboard (core.telegram.org/bots/api#inlinekeyboardbutton). */
function keyboardOf({ buttons }: Message): object {
  if (buttons === undefined || buttons.buttons.length === 0) return {};
  const row = buttons.buttons.map(({ label, value }) => ({ text: label, callback_data: value }));
  return { reply_markup: { inline_keyboard: [row] } };
}

function htmlMessage(text: string): object {
  return { text, parse_mode: 'HTML' };
}

function removeMarkup(text: string): string {
  return text
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
