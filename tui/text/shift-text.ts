import { cellWidth } from '../terminal/cells.ts';
import { splitGraphemes } from '../terminal/graphemes.ts';

/** Returns a text without its first `cells` cells; `…` in front marks the omission. */
export function withoutFirstCells(text: string, cells: number): string {
  if (cells === 0) return text;
  let left = cells;
  for (const { index, segment } of splitGraphemes(text)) {
    if (left <= 0) return `…${text.slice(index)}`;
    left -= cellWidth(segment);
  }
  return text === '' ? '' : '…';
}
