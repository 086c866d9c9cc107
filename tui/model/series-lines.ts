import { rangeEnds } from '../../shared/domain/metrics/nagios.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SeriesRecorded, SeriesResponse, SeriesValues } from '../../shared/schemas/series.ts';
import { plotLines, type PlotPoint, type PlotThreshold } from '../text/plot.ts';
import { completeRuns } from '../text/runs.ts';
import { run, type Line, type Run, type Tone } from '../text/theme.ts';
import { cutCells } from '../text/wrap-cells.ts';
import { quantityScale, quantityText, scaleText } from '../words/quantity-text.ts';

/**
 * Returns the plots of a series, or one line that says why there are none.
 *
 * @param size `width`: in cells; `rows`: the number of rows of each plot with its title
 */
export function seriesLines(data: SeriesResponse, size: { width: number; rows: number }): readonly Line[] {
  const curves = curvesOf(data);
  if (curves.length === 0) return [[run(cutCells(emptyText(data.recorded), size.width), 'faint')]];
  return curves.flatMap((curve) => curveLines(curve, data, size));
}

/** One plot: a metric or the duration. */
interface SeriesCurve {
  readonly label: string;
  readonly unit: string;
  readonly points: readonly (SeriesValues & { readonly at: number })[];
  readonly thresholds: readonly PlotThreshold[];
}

/** Returns the number of plots of a series: one for each metric with values, and one for the duration. */
export function plotCount(data: SeriesResponse): number {
  return curvesOf(data).length;
}

/** Returns the metrics and the duration that have values, the metrics first. */
function curvesOf({ metrics, points, step }: SeriesResponse): readonly SeriesCurve[] {
  const curve = (
    label: string,
    unit: string,
    valueAt: (point: SeriesResponse['points'][number]) => SeriesValues | null | undefined,
    thresholds: readonly PlotThreshold[],
  ): SeriesCurve => {
    const curvePoints = points.flatMap((point) => {
      const value = valueAt(point);
      // A point stands for a whole step, so it is drawn in the middle of it.
      return value === null || value === undefined ? [] : [{ ...value, at: point.at + (step * 1000) / 2 }];
    });
    return { label, unit, points: curvePoints, thresholds };
  };
  return [
    ...metrics.map(({ label, unit, warn, crit }, index) =>
      curve(label, unit, ({ values }) => values[index], [
        ...thresholdsOf('warn', warn, unit, 'warning'),
        ...thresholdsOf('crit', crit, unit, 'critical'),
      ]),
    ),
    curve('duration', 's', ({ duration }) => duration, []),
  ].filter((one) => one.points.length > 0);
}

function thresholdsOf(name: string, range: string | null, unit: string, tone: Tone): readonly PlotThreshold[] {
  return rangeEnds(range ?? '').map((value) => ({ value, label: `${name} ${quantityText(value, unit)}`, tone }));
}

/** Points that are at most this many steps apart are joined, so that a gap is visible. */
const JOINED_STEPS_MAX = 2;

function curveLines(
  { label, unit, points, thresholds }: SeriesCurve,
  { since, until, step }: SeriesResponse,
  { width, rows }: { readonly width: number; readonly rows: number },
): readonly Line[] {
  const last = points.at(-1);
  const lowest = Math.min(...points.map(({ min }) => min));
  const highest = Math.max(...points.map(({ max }) => max));
  const [lastText, minText, maxText] = [last?.avg ?? 0, lowest, highest].map((value) => quantityText(value, unit));
  const figures = `  last ${String(lastText)}, min ${String(minText)}, max ${String(maxText)}`;
  // The title names the thresholds too, because a dense plot leaves no room for their labels.
  const title: readonly Run[] = [
    run(cutCells(safeLine(label), width >> 2), 'strong'),
    run(safeLine(figures), 'faint'),
    ...thresholds.map((one) => run(`  ${safeLine(one.label)}`, one.tone)),
  ];
  // The whole plot has one unit, so that its scale has round numbers.
  const { divisor, suffix } = quantityScale(Math.max(Math.abs(lowest), Math.abs(highest)), unit);
  const shown = points.map(({ at, avg, min, max }): PlotPoint => ({
    at: Math.max(since, Math.min(at, until)),
    value: avg / divisor,
    min: min / divisor,
    max: max / divisor,
  }));
  const plot = plotLines(
    {
      series: [{ points: shown }],
      since,
      until,
      gapMs: JOINED_STEPS_MAX * Math.max(step * 1000, medianDistance(shown)),
      thresholds: thresholds.map((one) => ({ ...one, value: one.value / divisor, label: safeLine(one.label) })),
      valueText: (value, scaleStep) => safeLine(scaleText(value, scaleStep) + suffix),
    },
    { width, height: rows - 1 },
  );
  return [completeRuns(title, width), ...plot];
}

/**
 * Returns the median distance of points in milliseconds; 0 if there are fewer than two. A check may run once an hour.
 */
function medianDistance(points: readonly PlotPoint[]): number {
  const distances = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at));
  return distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0;
}

function emptyText(recorded: SeriesRecorded): string {
  switch (recorded) {
    case 'yes':
      return 'no data: no values in the last 24 hours';
    case 'no_data':
      return 'no data: the results have neither a duration nor performance data';
    case 'disabled':
      return 'no data: the setting series.enabled of the backend is false';
    case 'limit':
      return 'no data: series.checks of the backend is reached, so this check has no series';
  }
}
