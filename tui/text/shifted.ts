import { cellWidth } from '../terminal/cells.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text without its first cells; a sign in front says so. */
export function shifted(text: string, cells: number): string {
  if (cells === 0) return text;
  let left = cells;
  for (const { index, segment } of segmenter.segment(text)) {
    if (left <= 0) return `…${text.slice(index)}`;
    left -= cellWidth(segment);
  }
  return text === '' ? '' : '…';
}
