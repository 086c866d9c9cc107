import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { run, type Run } from './theme.ts';

/** Returns the total width of the runs in cells. */
export function runsWidth(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + cellWidth(text), 0);
}

/** Returns a row with `left` at its start and `right` at its end. If they do not fit, `left` is cut. */
export function spreadRuns(left: readonly Run[], right: readonly Run[], width: number): readonly Run[] {
  const leftWidth = width - runsWidth(right);
  const used = runsWidth(left);
  if (used <= leftWidth) return [...left, run(' '.repeat(leftWidth - used)), ...right];
  return [...cutRuns(left, leftWidth), ...right];
}

/** Returns the first runs that fit completely into `width` cells. */
export function completeRuns(runs: readonly Run[], width: number): readonly Run[] {
  let used = 0;
  const end = runs.findIndex(({ text }) => (used += cellWidth(text)) > width);
  return end === -1 ? runs : runs.slice(0, end);
}

/** Returns the runs, padded with blanks or cut to exactly `width` cells. */
export function fitRuns(runs: readonly Run[], width: number): readonly Run[] {
  const used = runsWidth(runs);
  return used <= width ? [...runs, run(' '.repeat(width - used))] : cutRuns(runs, width);
}

function cutRuns(runs: readonly Run[], width: number): readonly Run[] {
  const kept: Run[] = [];
  let remaining = width;
  for (const piece of runs) {
    const cells = cellWidth(piece.text);
    kept.push(cells <= remaining ? piece : { ...piece, text: fitToWidth(piece.text, remaining) });
    remaining -= cells;
    if (remaining <= 0) break;
  }
  return kept;
}
