import type { SeriesLayer } from '../../state/layers/loaded.ts';
import type { ScreenView } from '../../state/ports.ts';
import { plotCount, seriesLines } from '../../model/series-lines.ts';
import { run, type Line } from '../../text/theme.ts';
import { pageHeight } from '../page.tsx';

/** Number of rows of a plot with its title: fewer are unreadable, more do not show more. */
const PLOT_ROWS = { least: 8, most: 16 } as const;

/** Number of screen rows above the plots: the title and the rule. */
const HEAD_ROWS = 2;

/** Returns the lines of the screen of a series: a plot for each metric, and one for the duration. */
export function seriesPageLines(store: ScreenView, { load: { data } }: SeriesLayer): readonly Line[] {
  if (data === undefined) return [];
  const { columns } = store.state.size;
  const count = Math.max(1, plotCount(data));
  const height = pageHeight(store, 'short', 1) - HEAD_ROWS;
  const rows = Math.max(PLOT_ROWS.least, Math.min(PLOT_ROWS.most, Math.floor(height / count)));
  return seriesLines(data, { width: columns - 2, rows }).map((line) => [run(' ')].concat(line));
}
