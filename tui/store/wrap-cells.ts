import { cellWidth, fit } from '../terminal/cells.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** `line` in pieces of at most `width` cells, cut between characters as a reader sees them. Always one piece at least. */
export function wrapCells(line: string, width: number): readonly string[] {
  if (cellWidth(line) <= width) return [line];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of segmenter.segment(line)) {
    const cells = cellWidth(segment);
    if (used + cells > width && piece !== '') {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += segment;
    used += cells;
  }
  pieces.push(piece);
  return pieces;
}

/** `line` in one piece of at most `width` cells. */
export function cutCells(line: string, width: number): string {
  return cellWidth(line) <= width ? line : fit(line, width);
}
