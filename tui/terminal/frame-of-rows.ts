import { cellWidth } from './cells.ts';

/** What Ink is about to put on the screen, in the order in which it does. */
export type Drawing =
  | {
      readonly type: 'write';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly transformers: readonly ((line: string, index: number) => string)[];
    }
  | { readonly type: 'clip'; readonly clip: Clip }
  | { readonly type: 'unclip' };

/** What is outside is not drawn; a side that is missing has no bound, and the last column and row are not part of it. */
interface Clip {
  readonly x1?: number | undefined;
  readonly x2?: number | undefined;
  readonly y1?: number | undefined;
  readonly y2?: number | undefined;
}

/** Several rows in one text, and what has no cell of its own. */
const NEEDS_CELLS = /[\0-\u001A\u001C-\u001F\u007F-\u009F\p{Default_Ignorable_Code_Point}]/u;

/**
 * The frame as text, a line per row, where it is made of rows that nothing lies upon: they are what the screen shows, and
 * Ink would take each apart into cells only to put it together again, which was most of the memory of a frame. The
 * build has Ink ask this first.
 *
 * @returns undefined where cells are needed, as under a dialog
 */
export function frameOfRows(drawings: readonly Drawing[], height: number): string | undefined {
  const rows: string[] = Array.from({ length: height }, () => '');
  const clips: Clip[] = [];
  for (const drawing of drawings) {
    if (drawing.type === 'clip') {
      // Rows are cut at the sides by cells.
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
