import { eastAsianWidth } from 'get-east-asian-width';
import { splitGraphemes } from './graphemes.ts';

/** Matches characters other than printable ASCII. Nearly all text is printable ASCII, with one cell per character. */
const BEYOND_ASCII = /[^ -~]/;

/** Escape sequences of colors and of styles such as bold. */
const SGR_SEQUENCES = /\u001B\[[\d;]*m/g;

/** Matches characters that take no cell: they combine with the previous character, or are invisible. */
const ZERO_WIDTH_CHARACTERS = /[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Cache by code point: the width of the character plus 1, or 0 if the width is not computed yet. */
const widthCache = new Uint8Array(0x110000);

/**
 * Returns the width of `text` on a terminal in cells. If text is safe for a terminal, its width is the sum of the
 * widths of its characters. Therefore it is not split into grapheme clusters. That would cost microseconds for each
 * text, and loading the tables for it a quarter of the time to the first frame. The build makes Ink use this function
 * too, because rows would break if Ink measured text differently.
 */
export function cellWidth(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  const shown = text.includes('\u001B') ? text.replace(SGR_SEQUENCES, '') : text;
  let cells = 0;
  for (const character of shown) cells += characterWidth(character);
  return cells;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const cachedWidth = widthCache[code] ?? 0;
  if (cachedWidth > 0) return cachedWidth - 1;
  const cells = ZERO_WIDTH_CHARACTERS.test(character) ? 0 : eastAsianWidth(code);
  widthCache[code] = cells + 1;
  return cells;
}

export interface FitOptions {
  readonly align?: 'left' | 'right';
  /** The place where a text that is too long is cut. `middle` preserves the number at the end of `web-eu-west-017`. */
  readonly cut?: 'end' | 'middle';
}

/** The ellipsis, which replaces omitted text. */
const ELLIPSIS = '…';

/**
 * Returns `text` in exactly `width` cells: padded with spaces, or cut between graphemes (characters as a reader sees
 * them).
 */
export function fitToWidth(text: string, width: number, { align, cut }: FitOptions = {}): string {
  if (width <= 0) return '';
  const isAscii = !BEYOND_ASCII.test(text);
  const cells = isAscii ? text.length : cellWidth(text);
  const tail = cut === 'middle' ? (width - 1) >> 1 : 0;
  if (isAscii && cells > width) return text.slice(0, width - 1 - tail) + ELLIPSIS + text.slice(cells - tail);
  const shown = cells <= width ? text : cutCells(text, width - 1 - tail, tail);
  const padding = ' '.repeat(width - (cells <= width ? cells : cellWidth(shown)));
  return align === 'right' ? padding + shown : shown + padding;
}

/** Returns at most `head` cells of the start of `text`, an ellipsis, and at most `tail` cells of its end. */
function cutCells(text: string, head: number, tail: number): string {
  const characters = Array.from(splitGraphemes(text), ({ segment }) => segment);
  const end = takeCells(characters.toReversed(), tail).toReversed();
  return takeCells(characters, head).join('') + ELLIPSIS + end.join('');
}

/** Returns the first characters, as many as fit into `width` cells. */
function takeCells(characters: readonly string[], width: number): readonly string[] {
  let used = 0;
  let count = 0;
  for (const character of characters) {
    used += cellWidth(character);
    if (used > width) break;
    count++;
  }
  return characters.slice(0, count);
}
