import { safeLine, safeText } from '../terminal-text.ts';

const CUT_MARK = '…';

/** Maximum length of a text in a message, in UTF-16 units; the rest is dropped. No service accepts longer texts. */
const INPUT_LENGTH_MAX = 32 * 1024;

/** Makes a multi-line text safe: removes control characters, invisible characters, and white space at the end. */
export function plainText(text: string): string {
  return safeText(text.slice(0, INPUT_LENGTH_MAX)).trimEnd();
}

/** Makes a text safe as one line, so that it cannot end a line, a header or a protocol command. */
export function plainLine(text: string): string {
  return safeLine(text.slice(0, INPUT_LENGTH_MAX)).trim();
}

/** Cuts a text to at most `most` UTF-16 units, which are at most as many characters, and marks the cut with `…`. */
export function clipText(text: string, most: number): string {
  return text.length <= most ? text : `${withoutSplitSurrogate(text.slice(0, most - CUT_MARK.length))}${CUT_MARK}`;
}

/** Cuts a text like `clipText`, and removes an HTML entity such as `&amp;` that the cut would split. */
export function clipEscaped(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${withoutSplitSurrogate(text.slice(0, most - CUT_MARK.length)).replace(/&[a-z0-9#]{0,8}$/i, '')}${CUT_MARK}`;
}

/** Cuts a text to at most `most` bytes in UTF-8, and marks the cut with `…`. */
export function clipBytes(text: string, most: number): string {
  if (utf8Bytes(text) <= most) return text;
  let left = most - utf8Bytes(CUT_MARK);
  let end = 0;
  for (const character of text) {
    left -= utf8Bytes(character);
    if (left < 0) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${CUT_MARK}`;
}

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}

/** Removes a high surrogate at the end of a text, which is the first half of a split pair. */
function withoutSplitSurrogate(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
