import { eastAsianWidth } from 'get-east-asian-width';
import { graphemes } from './graphemes.ts';

/** Nearly all text is printable ASCII, one cell per character. */
const BEYOND_ASCII = /[^ -~]/;

/** Colours and weights. */
const SGR = /\u001B\[[\d;]*m/g;

/** What stands on the character before it, or is not to be seen. */
const WITHOUT_CELL = /[\p{Mn}\p{Me}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Of each character 1 more than its cells; 0: nobody has asked yet. */
const kept = new Uint8Array(0x110000);

/**
 * Cells that `text` takes on a terminal. Text that is safe for one is as wide as its characters one by one, so that there
 * is no need to look for clusters: that takes microseconds per text, and the tables for it a quarter of the time to the
 * first frame. The build has Ink measure by this, too, as rows would be torn where two ways to measure disagree.
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
  const known = kept[code] ?? 0;
  if (known > 0) return known - 1;
  const cells = WITHOUT_CELL.test(character) ? 0 : eastAsianWidth(code);
  kept[code] = cells + 1;
  return cells;
}

export interface FitOptions {
  readonly align?: 'left' | 'right';
  /** Where text goes missing when there is too much of it; `middle` keeps the number at the end of `web-eu-west-017`. */
  readonly cut?: 'end' | 'middle';
}

/** One cell that stands for what is missing. */
const ELLIPSIS = '…';

/** `text` in exactly `width` cells: padded with spaces, or cut between characters as a reader sees them. */
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

/** At most `head` cells of its beginning, and `tail` of its end. */
function cutCells(text: string, head: number, tail: number): string {
  const characters = Array.from(graphemes(text), ({ segment }) => segment);
  const end = takeCells(characters.toReversed(), tail).toReversed();
  return takeCells(characters, head).join('') + ELLIPSIS + end.join('');
}

/** As many of the first characters as fit in `room` cells. */
function takeCells(characters: readonly string[], room: number): readonly string[] {
  let used = 0;
  let count = 0;
  for (const character of characters) {
    used += cellWidth(character);
    if (used > room) break;
    count++;
  }
  return characters.slice(0, count);
}
