import { cellWidth } from './cells.ts';

/** The drawing operations of Ink, in the order in which it applies them. */
export type Drawing =
  | {
      readonly type: 'write';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly transformers: readonly ((line: string, index: number) => string)[];
    }
  | { readonly type: 'clip'; readonly clip: ClipArea }
  | { readonly type: 'unclip' };

/**
 * The area outside of which nothing is drawn. It has no bound on a side that is `undefined`; `x2` and `y2` are
 * excluded.
 */
interface ClipArea {
  readonly x1?: number | undefined;
  readonly x2?: number | undefined;
  readonly y1?: number | undefined;
  readonly y2?: number | undefined;
}

/**
 * Matches text that must be drawn cell by cell: it contains control characters, such as line ends, or characters that
 * take no cell.
 */
const NEEDS_CELLS = /[\0-\u001A\u001C-\u001F\u007F-\u009F\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns the frame as text with one line for each row, if no drawing overlaps another. Otherwise Ink splits each row
 * into cells and joins them again, which took most of the memory of a frame. The build makes Ink call this function
 * first.
 *
 * @returns `undefined` if cells are needed, for example under a dialog
 */
export function frameOfRows(drawings: readonly Drawing[], height: number): string | undefined {
  const rows: string[] = Array.from({ length: height }, () => '');
  const clips: ClipArea[] = [];
  for (const drawing of drawings) {
    if (drawing.type === 'clip') {
      // A row must be split into cells if it is cut at its left or right side.
      if (drawing.clip.x1 !== undefined || drawing.clip.x2 !== undefined) return undefined;
      clips.push(drawing.clip);
      continue;
    }
    if (drawing.type === 'unclip') {
      clips.pop();
      continue;
    }
    const { x, y, transformers } = drawing;
    const before = rows[y];
    if (before === undefined || clips.some(({ y1 = y, y2 = y + 1 }) => y < y1 || y >= y2)) {
      if (drawing.text.includes('\n')) return undefined;
      continue;
    }
    if (NEEDS_CELLS.test(drawing.text)) return undefined;
    let { text } = drawing;
    for (const transform of transformers) text = transform(text, 0);
    const gap = before === '' ? x : x - cellWidth(before);
    if (gap < 0) return undefined;
    rows[y] = gap === 0 ? before + text : before + ' '.repeat(gap) + text;
  }
  return rows.map((row) => row.trimEnd()).join('\n');
}
