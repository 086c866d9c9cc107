import { eastAsianWidth } from 'get-east-asian-width';
import { graphemes } from './graphemes.ts';

/** Nearly all text is printable ASCII, one cell per character. */
const BEYOND_ASCII = /[^ -~]/;

/** Escape sequences of colors and weights. */
const SGR = /\u001B\[[\d;]*m/g;

/** Characters without a cell of their own: they combine with the previous one, or are invisible. */
const WITHOUT_CELL = /[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** The width of each character plus 1; 0 if it is not computed yet. */
const kept = new Uint8Array(0x110000);

/**
 * Returns the width of `text` on a terminal in cells. The width of text that is safe for a terminal is the sum
 * of its characters, so no grapheme clusters are needed. Clusters would cost microseconds for each text, and
 * loading their tables a quarter of the time to the first frame. The build makes Ink use this function too,
 * because two different measures would break the rows.
 */
export function cellWidth(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  const shown = text.includes('\u001B') ? text.replace(SGR, '') : text;
  let cells = 0;
  for (const character of shown) cells += characterWidth(character);
  return cells;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const cachedWidth = kept[code] ?? 0;
  if (cachedWidth > 0) return cachedWidth - 1;
  const cells = WITHOUT_CELL.test(character) ? 0 : eastAsianWidth(code);
  kept[code] = cells + 1;
  return cells;
}

export interface FitOptions {
  readonly align?: 'left' | 'right';
  /**
   * The place where text is cut if it is too long; `middle` keeps the number at the end of `web-eu-west-017`.
   */
  readonly cut?: 'end' | 'middle';
}

/** The cell that replaces the missing text. */
const ELLIPSIS = '…';

/**
 * Returns `text` in exactly `width` cells: padded with spaces, or cut between characters as a reader sees them.
 */
export function fit(text: string, width: number, { align, cut }: FitOptions = {}): string {
  if (width <= 0) return '';
  const isAscii = !BEYOND_ASCII.test(text);
  const cells = isAscii ? text.length : cellWidth(text);
  const tail = cut === 'middle' ? (width - 1) >> 1 : 0;
  if (isAscii && cells > width) return text.slice(0, width - 1 - tail) + ELLIPSIS + text.slice(cells - tail);
  const shown = cells <= width ? text : cutCells(text, width - 1 - tail, tail);
  const padding = ' '.repeat(width - (cells <= width ? cells : cellWidth(shown)));
  return align === 'right' ? padding + shown : shown + padding;
}

/** Returns at most `head` cells of the beginning, and `tail` cells of the end. */
function cutCells(text: string, head: number, tail: number): string {
  const characters = Array.from(graphemes(text), ({ segment }) => segment);
  const end = takeCells(characters.toReversed(), tail).toReversed();
  return takeCells(characters, head).join('') + ELLIPSIS + end.join('');
}

/** Returns as many of the first characters as fit into `width` cells. */
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
