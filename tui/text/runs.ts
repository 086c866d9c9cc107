import { cellWidth, fit } from '../terminal/cells.ts';
import { run, type Run } from './theme.ts';

/** Returns the width of the runs in cells. */
export function runsWidth(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + cellWidth(text), 0);
}

/** Returns `left` and `right` at the two ends of a row. If they do not fit, `left` is cut. */
export function spread(left: readonly Run[], right: readonly Run[], width: number): readonly Run[] {
  const room = width - runsWidth(right);
  const used = runsWidth(left);
  if (used <= room) return [...left, run(' '.repeat(room - used)), ...right];
  return [...cutRuns(left, room), ...right];
}

/** Returns as many of the first runs as fit without cutting one. */
export function wholeRuns(runs: readonly Run[], room: number): readonly Run[] {
  let used = 0;
  const end = runs.findIndex(({ text }) => (used += cellWidth(text)) > room);
  return end === -1 ? runs : runs.slice(0, end);
}

/** Returns the runs in exactly `width` cells. */
export function fitRuns(runs: readonly Run[], width: number): readonly Run[] {
  const used = runsWidth(runs);
  return used <= width ? [...runs, run(' '.repeat(width - used))] : cutRuns(runs, width);
}

function cutRuns(runs: readonly Run[], width: number): readonly Run[] {
  const kept: Run[] = [];
  let room = width;
  for (const piece of runs) {
    const cells = cellWidth(piece.text);
    kept.push(cells <= room ? piece : { ...piece, text: fit(piece.text, room) });
    room -= cells;
    if (room <= 0) break;
  }
  return kept;
}
