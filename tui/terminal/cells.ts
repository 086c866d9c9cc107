import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Nearly all text is printable ASCII, one cell per character. */
const BEYOND_ASCII = /[^ -~]/;

/** Short texts whose width is kept: our own signs stand in every row of every frame, and each look takes microseconds. */
const KEPT_LENGTH = 12;
const KEPT_MAX = 1000;

const keptWidths = new Map<string, number>();

/** Cells that `text` takes on a terminal. */
export function cellWidth(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  if (text.length > KEPT_LENGTH) return stringWidth(text);
  const kept = keptWidths.get(text) ?? stringWidth(text);
  if (keptWidths.size >= KEPT_MAX) keptWidths.clear();
  keptWidths.set(text, kept);
  return kept;
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
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
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
