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
  /** One cell that stands for what is missing. */
  readonly ellipsis?: string;
}

/** `text` in exactly `width` cells: padded with spaces, or cut between characters as a reader sees them. */
export function fit(text: string, width: number, options: FitOptions = {}): string {
  if (width <= 0) return '';
  const cells = cellWidth(text);
  const cut = cells <= width ? text : cutCells(text, width, options);
  const padding = ' '.repeat(Math.max(0, width - (cells <= width ? cells : cellWidth(cut))));
  return options.align === 'right' ? padding + cut : cut + padding;
}

function cutCells(text: string, width: number, { cut = 'end', ellipsis = '…' }: FitOptions): string {
  const room = Math.max(0, width - cellWidth(ellipsis));
  const tailRoom = cut === 'middle' ? Math.floor(room / 2) : 0;
  if (!BEYOND_ASCII.test(text)) {
    return text.slice(0, room - tailRoom) + ellipsis + text.slice(text.length - tailRoom);
  }
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const head = takeCells(characters, room - tailRoom);
  const tail = takeCells(characters.toReversed(), tailRoom).toReversed();
  return head.join('') + ellipsis + tail.join('');
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
