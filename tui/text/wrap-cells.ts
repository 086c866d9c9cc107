import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { splitGraphemes } from '../terminal/graphemes.ts';

/**
 * Splits `line` into pieces of at most `width` cells. A piece ends after a space in its second half, or else between
 * two graphemes (characters as a reader sees them). There is always at least one piece.
 */
export function wrapCells(line: string, width: number): readonly string[] {
  if (cellWidth(line) <= width) return [line];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of splitGraphemes(line)) {
    const cells = cellWidth(segment);
    if (used + cells > width && piece !== '') {
      const space = piece.lastIndexOf(' ') + 1;
      const end = space > piece.length / 2 ? space : piece.length;
      pieces.push(piece.slice(0, end));
      piece = piece.slice(end);
      used = cellWidth(piece);
    }
    piece += segment;
    used += cells;
  }
  pieces.push(piece);
  return pieces;
}

/** Returns `line` cut to at most `width` cells. */
export function cutCells(line: string, width: number): string {
  return cellWidth(line) <= width ? line : fitToWidth(line, width);
}
