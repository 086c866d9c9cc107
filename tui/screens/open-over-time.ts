import type { Report } from '../../shared/schemas/report.ts';
import type { OpenCounts } from '../model/overview-figures.ts';
import { plotLines, type PlotPoint } from '../text/plot.ts';
import type { Line } from '../text/theme.ts';
import { countText } from '../words/count-text.ts';

/** The numbers of open problems at the worst moment of a period that ends at `at`, in epoch milliseconds. */
export interface OpenPoint extends OpenCounts {
  readonly at: number;
}

/** Returns the numbers of open problems of a report, the oldest first; empty if the backend does not report them. */
export function openPoints({ since, until, open_over_time: overTime }: Report): readonly OpenPoint[] {
  if (overTime === undefined) return [];
  return overTime.critical.flatMap((critical, index) => {
    const warning = overTime.warning[index] ?? null;
    const unknown = overTime.unknown[index] ?? null;
    if (critical === null || warning === null || unknown === null) return [];
    return [{ at: Math.min(until, since + (index + 1) * overTime.period * 1000), critical, warning, unknown }];
  });
}

/** Returns the number of open problems at a point, of all severities. */
export function openTotal({ critical, warning, unknown }: OpenCounts): number {
  return critical + warning + unknown;
}

/**
 * Returns a plot of the numbers of open problems. The severities lie on each other: critical at the bottom, then
 * warning, then unknown, so that the upper edge is their total.
 */
export function openPlot(
  points: readonly OpenPoint[],
  span: { readonly since: number; readonly until: number },
  size: { readonly width: number; readonly height: number },
): readonly Line[] {
  const series = (value: (point: OpenPoint) => number): readonly PlotPoint[] =>
    points.map((point) => ({ at: point.at, value: value(point) }));
  return plotLines(
    {
      ...span,
      // Later series cover earlier ones.
      series: [
        { points: series(openTotal), tone: 'unknown', isFilled: true },
        { points: series(({ critical, warning }) => critical + warning), tone: 'warning', isFilled: true },
        { points: series(({ critical }) => critical), tone: 'critical', isFilled: true },
      ],
      range: { min: 0, max: 1 },
      valueText: (value, step) => (step < 1 && value % 1 !== 0 ? '' : countText(value)),
    },
    size,
  );
}
