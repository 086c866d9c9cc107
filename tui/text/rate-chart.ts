import { countText } from '../words/count-text.ts';
import { run, type Line } from './theme.ts';

const EIGHTHS = ' ▁▂▃▄▅▆▇█';

/** Width of the scale on the left, in cells. */
const SCALE_CELLS = 8;

/** The values of a chart over time. */
export interface ChartValues {
  /** The values of the chart, the oldest first. */
  readonly values: readonly number[];
  /** Number of values that fill the whole width; if there are fewer values, the left of the chart stays empty. */
  readonly capacity: number;
}

/**
 * Returns a column chart of values, the newest on the right, in `height` rows of `width` cells. The scale starts at 0,
 * and each column shows the mean of its values.
 */
export function rateChart(course: ChartValues, width: number, height: number): readonly Line[] {
  const cells = Math.max(1, width - SCALE_CELLS - 2);
  const bars = means(course, cells);
  const most = roundUp(Math.max(1, ...bars.map((value) => value ?? 0)));
  const rows = Math.max(1, height - 1);
  const lines = Array.from({ length: rows }, (_, row) => {
    const floor = rows - 1 - row;
    const text = bars.map((value = 0) => EIGHTHS[eighths((value / most) * rows - floor)] ?? ' ').join('');
    return [run(`${scaleLabel(row, rows, most).padStart(SCALE_CELLS - 1)} │`, 'faint'), run(text, 'accent')];
  });
  return [...lines, [run(`${'0'.padStart(SCALE_CELLS - 1)} └${'─'.repeat(cells)}`, 'faint')]];
}

/**
 * Returns the scale label of a row: the largest value in the top row, half of it in the middle row. All other labels
 * are empty.
 */
function scaleLabel(row: number, rows: number, most: number): string {
  if (row === 0) return shortCount(most);
  return row * 2 === rows ? shortCount(most / 2) : '';
}

/**
 * Returns the mean of the values of each cell; `undefined` for a cell without values. If the chart has more cells than
 * `capacity`, it uses one cell for each value.
 */
function means({ values, capacity }: ChartValues, cells: number): readonly (number | undefined)[] {
  const count = Math.min(cells, capacity);
  const missing = capacity - values.length;
  return Array.from({ length: count }, (_, cell) => {
    const from = Math.floor((cell * capacity) / count) - missing;
    const to = Math.floor(((cell + 1) * capacity) / count) - missing;
    const part = values.slice(Math.max(0, from), Math.max(0, to));
    return part.length === 0 ? undefined : part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** Returns how many eighths of a cell are filled. For any share above zero, it is at least one eighth. */
function eighths(share: number): number {
  return share <= 0 ? 0 : Math.max(1, Math.min(8, Math.round(share * 8)));
}

/** Returns the smallest readable number that is at least `value`: a digit 1, 2, 4, 6 or 8 followed by zeros. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 6, 8].find((step) => value <= step * power) ?? 10);
}

/** Returns a number in short form: `4k`, `600`, `2.5`. */
function shortCount(value: number): string {
  if (value >= 10_000) return `${countText(Math.round(value / 1000))}k`;
  return value >= 1000 ? `${String(Math.round(value / 100) / 10)}k` : String(Math.round(value * 10) / 10);
}
