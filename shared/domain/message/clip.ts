import { safeLine, safeText } from '../terminal-text.ts';

const MARK = '…';

/** No service takes more characters. */
const LOOKED_AT = 32 * 1024;

/** Several lines without what acts on a screen or hides in it, as people get them. */
export function plainText(text: string): string {
  return safeText(text.slice(0, LOOKED_AT)).trimEnd();
}

/** The same in one line: what ends a line, a header or a command of a protocol is none any more. */
export function plainLine(text: string): string {
  return safeLine(text.slice(0, LOOKED_AT)).trim();
}

/** At most so many UTF-16 units, which is never more than as many characters; what was cut ends with a mark. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${whole(text.slice(0, most - MARK.length))}${MARK}`;
}

/** The same of text with entities such as `&amp;`, of which none is cut in two. */
export function clipEscaped(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${whole(text.slice(0, most - MARK.length)).replace(/&[a-z0-9#]{0,8}$/i, '')}${MARK}`;
}

/** At most so many bytes of UTF-8. */
export function clipBytes(text: string, most: number): string {
  if (utf8Bytes(text) <= most) return text;
  let left = most - utf8Bytes(MARK);
  let end = 0;
  for (const character of text) {
    left -= utf8Bytes(character);
    if (left < 0) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${MARK}`;
}

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}

/** Without the first half of a character at the end. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
