import { utcOffsetMs } from '../../shared/domain/local-time.ts';
import { timeOfDayText, dateText } from '../../shared/domain/time-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { localZone } from '../words/shown-time.ts';
import { run, type Line, type Run, type Tone } from './theme.ts';

/** A value at a time, in epoch milliseconds. `min` and `max` extend the mark if the point summarizes several values. */
export interface PlotPoint {
  readonly at: number;
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
}

/** Points of one kind, in order of time. A later series is drawn over an earlier one. */
export interface PlotSeries {
  readonly points: readonly PlotPoint[];
  /** Tone of the marks. Default: `accent`. */
  readonly tone?: Tone;
  /** True to fill the space between the marks and the bottom of the plot. */
  readonly isFilled?: boolean;
}

/** A value that is drawn as a horizontal line, with its label. */
export interface PlotThreshold {
  readonly value: number;
  readonly label: string;
  readonly tone: Tone;
}

/** The contents of a plot: values over time, with thresholds and a scale. */
export interface Plot {
  readonly series: readonly PlotSeries[];
  /** The left and right end of the time axis, in epoch milliseconds. */
  readonly since: number;
  readonly until: number;
  /** Maximum time between two points that are joined, in milliseconds. Default: all points are joined. */
  readonly gapMs?: number;
  readonly thresholds?: readonly PlotThreshold[];
  /** The range that the scale covers at least, such as `{ min: 0, max: 100 }` for percentages. */
  readonly range?: { readonly min?: number; readonly max?: number };
  /**
   * Returns the text of a value on the scale, with its unit.
   *
   * @param step the difference between two labeled values
   */
  readonly valueText: (value: number, step: number) => string;
  /** Time zone of the axis, as `timeZoneOf` returns it. Default: the zone of the process. */
  readonly zone?: string;
}

/** Number of dots of a braille character. */
const DOTS_ACROSS = 2;
const DOTS_DOWN = 4;

/** Bits of the dots of a braille character, by row and column. */
const DOT_BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** Number of rows below the plot: the axis and its times. */
const AXIS_ROWS = 2;

/** Maximum width of the labels of the scale, in cells. */
const LABEL_CELLS_MAX = 12;

/**
 * Returns a plot of values over time as `height` rows of `width` cells: the marks as braille dots, the scale on the
 * left, the times below. Terminals without Unicode get dots, colons and dashes (`toAscii`). Values that no scale can
 * show are left out, such as NaN. A plot without points says `no data`.
 */
export function plotLines(plot: Plot, { width, height }: { width: number; height: number }): readonly Line[] {
  const rows = Math.max(1, height - AXIS_ROWS);
  const scale = scaleOf(plot, rows);
  const labels = scaleLabels(plot, scale, rows);
  const zoneName = zoneText(plot);
  const labelCells = Math.max(...labels.map((label) => cellWidth(label)), zoneName.length);
  const cells = Math.max(1, width - labelCells - 2);
  const canvas = new PlotCanvas(cells, rows);
  for (const series of plot.series) drawSeries(canvas, plot, series, scale);
  const hasPoints = canvas.hasDots;
  const lines = Array.from({ length: rows }, (_, row): Line => {
    const label = labels[row] ?? '';
    const axis = ` ${label === '' ? '│' : '┤'}`;
    const marks = hasPoints ? canvas.runsOf(row, thresholdsOf(plot, scale, row, rows)) : emptyRuns(row, rows, cells);
    return [run(`${padStart(label, labelCells)}${axis}`, 'faint'), ...marks];
  });
  return [...lines, ...timeAxis(plot, zoneName.padStart(labelCells), cells)].slice(0, Math.max(1, height));
}

function emptyRuns(row: number, rows: number, cells: number): readonly Run[] {
  const text = row === (rows - 1) >> 1 ? ' no data' : '';
  return [run(text.slice(0, cells).padEnd(cells), 'faint')];
}

function padStart(text: string, cells: number): string {
  return ' '.repeat(Math.max(0, cells - cellWidth(text))) + text;
}

/** The values at the bottom and the top of a plot, and the difference between two labeled values. */
interface PlotScale {
  readonly bottom: number;
  readonly top: number;
  readonly step: number;
}

/** A scale starts at 0 unless all values are above this share of the largest value. */
const ZERO_BASED_SHARE = 0.5;

/** A threshold is on the scale if the scale becomes at most this many times as high. */
const THRESHOLD_STRETCH = 4;

function scaleOf({ series, thresholds = [], range = {} }: Plot, rows: number): PlotScale {
  let low = range.min ?? Infinity;
  let high = range.max ?? -Infinity;
  for (const { points } of series) {
    for (const { value, min = value, max = value } of points) {
      if (!isDrawable(value)) continue;
      low = Math.min(low, isDrawable(min) ? min : value);
      high = Math.max(high, isDrawable(max) ? max : value);
    }
  }
  if (low === Infinity) low = Math.min(0, high === -Infinity ? 0 : high);
  if (high <= low) high = low + (Math.abs(low) || 1);
  if (low > 0 && low < high * ZERO_BASED_SHARE) low = 0;
  const limit = THRESHOLD_STRETCH * (high - Math.min(low, 0));
  const shown = thresholds
    .map(({ value }) => value)
    .filter((value) => isDrawable(value) && value <= low + limit && value >= high - limit);
  const bottom = Math.min(low, ...shown);
  return roundScale(bottom, Math.max(high, ...shown), Math.max(1, Math.min(5, rows >> 1)));
}

/** The largest value that is drawn. Larger ones are errors of a check, and their differences would not be numbers. */
const VALUE_MAX = 1e100;

/** The smallest difference of a scale; 0 and 1e-300 are the same on the screen. */
const SPAN_MIN = 1e-100;

function isDrawable(value: number): boolean {
  return Math.abs(value) <= VALUE_MAX;
}

/** Returns a scale that covers both values and has at most `steps` steps of a readable size: 1, 2, 2.5 or 5. */
function roundScale(low: number, high: number, steps: number): PlotScale {
  const span = Math.max(high - low, SPAN_MIN);
  const power = 10 ** Math.floor(Math.log10(span / steps));
  for (const factor of [1, 2, 2.5, 5, 10, 20, 25, 50, 100]) {
    const step = factor * power;
    const bottom = Math.floor(low / step + ROUNDING_TOLERANCE) * step;
    const top = Math.max(Math.ceil(high / step - ROUNDING_TOLERANCE) * step, bottom + step);
    if (Math.round((top - bottom) / step) <= steps) return { bottom, top, step };
  }
  return { bottom: low, top: low + span, step: span };
}

/** Tolerance for a value that is a multiple of a step except for rounding. */
const ROUNDING_TOLERANCE = 1e-9;

/** Returns the position of a value on the scale: 0 is the bottom, 1 the top. */
function positionOf(value: number, { bottom, top }: PlotScale): number {
  return (value - bottom) / (top - bottom);
}

function rowOf(value: number, scale: PlotScale, rows: number): number {
  return Math.floor(dotRowOf(value, scale, rows) / DOTS_DOWN);
}

/** Returns the row of dots of a value, from 0 at the top; outside of the plot if the value is outside of the scale. */
function dotRowOf(value: number, scale: PlotScale, rows: number): number {
  return Math.round((1 - positionOf(value, scale)) * (rows * DOTS_DOWN - 1));
}

function scaleLabels({ valueText }: Plot, scale: PlotScale, rows: number): readonly string[] {
  const labels = Array.from({ length: rows }, () => '');
  const count = Math.round((scale.top - scale.bottom) / scale.step);
  for (let index = 0; index <= count; index++) {
    const value = scale.bottom + index * scale.step;
    // Rounding of the sum must not turn 0 into 5.6e-17.
    const exact = Math.abs(value) < scale.step * ROUNDING_TOLERANCE ? 0 : value;
    labels[rowOf(exact, scale, rows)] = valueText(exact, scale.step).slice(0, LABEL_CELLS_MAX);
  }
  return labels;
}

interface RowThreshold {
  readonly text: string;
  readonly tone: Tone;
  readonly isLine: boolean;
}

/** Returns the threshold to draw in a row. A threshold above or below the scale is named in the first or last row. */
function thresholdsOf({ thresholds = [] }: Plot, scale: PlotScale, row: number, rows: number): readonly RowThreshold[] {
  return thresholds.flatMap(({ value, label, tone }): readonly RowThreshold[] => {
    const at = rowOf(value, scale, rows);
    if (at === row) return [{ text: label, tone, isLine: true }];
    if (at < 0 && row === 0) return [{ text: `${label} ▲`, tone, isLine: false }];
    return at >= rows && row === rows - 1 ? [{ text: `${label} ▼`, tone, isLine: false }] : [];
  });
}

function drawSeries(
  canvas: PlotCanvas,
  plot: Plot,
  { points, tone = 'accent', isFilled = false }: PlotSeries,
  scale: PlotScale,
) {
  const { since, until, gapMs = Infinity } = plot;
  const { across, down } = canvas;
  const dotRow = (value: number) => Math.max(0, Math.min(down - 1, dotRowOf(value, scale, down / DOTS_DOWN)));
  let before: { readonly at: number; readonly column: number; readonly row: number } | undefined;
  for (const { at, value, min = value, max = value } of points) {
    if (!isDrawable(value) || at < since || at > until) continue;
    const column = Math.min(across - 1, Math.floor(((at - since) / Math.max(1, until - since)) * across));
    const row = dotRow(value);
    if (before !== undefined && at - before.at <= gapMs) {
      const distance = column - before.column;
      for (let step = 1; step < distance; step++) {
        const between = Math.round(before.row + ((row - before.row) * step) / distance);
        canvas.draw(before.column + step, between, isFilled ? down - 1 : between, tone);
      }
      // The last column is joined vertically, so that a steep line has no holes.
      if (!isFilled && distance <= 1) canvas.draw(column, ...orderPair(before.row, row), tone);
    }
    const highest = isDrawable(max) ? Math.min(row, dotRow(max)) : row;
    const lowest = isDrawable(min) ? Math.max(row, dotRow(min)) : row;
    canvas.draw(column, isFilled ? row : highest, isFilled ? down - 1 : lowest, tone);
    before = { at, column, row };
  }
}

function orderPair(a: number, b: number): readonly [number, number] {
  return a < b ? [a, b] : [b, a];
}

/** A grid of cells in which dots are drawn. */
class PlotCanvas {
  readonly across: number;
  readonly down: number;
  hasDots = false;
  readonly #cells: number;
  readonly #dots: Uint8Array;
  readonly #tones: (Tone | undefined)[];

  constructor(cells: number, rows: number) {
    this.across = cells * DOTS_ACROSS;
    this.down = rows * DOTS_DOWN;
    this.#cells = cells;
    this.#dots = new Uint8Array(cells * rows);
    this.#tones = Array.from({ length: cells * rows });
  }

  /** Draws the dots of a column from the row `from` to the row `to`, both included. */
  draw(column: number, from: number, to: number, tone: Tone): void {
    this.hasDots = true;
    for (let row = from; row <= to; row++) {
      const cell = Math.floor(row / DOTS_DOWN) * this.#cells + Math.floor(column / DOTS_ACROSS);
      const bit = DOT_BITS[row % DOTS_DOWN]?.[column % DOTS_ACROSS] ?? 0;
      this.#dots[cell] = (this.#dots[cell] ?? 0) | bit;
      this.#tones[cell] = tone;
    }
  }

  /** Returns a row of cells. A threshold is drawn where the row has no dots, its label where it covers no dots. */
  runsOf(row: number, thresholds: readonly RowThreshold[]): readonly Run[] {
    const symbols: string[] = [];
    const tones: Tone[] = [];
    const line = thresholds.find(({ isLine }) => isLine);
    for (let cell = 0; cell < this.#cells; cell++) {
      const dots = this.#dots[row * this.#cells + cell] ?? 0;
      const tone = this.#tones[row * this.#cells + cell] ?? 'plain';
      symbols.push(dots === 0 ? (line === undefined ? ' ' : '┄') : String.fromCharCode(0x2800 + dots));
      tones.push(dots === 0 ? (line?.tone ?? 'plain') : tone);
    }
    for (const { text, tone } of thresholds) this.#write(row, ` ${text} `, tone, symbols, tones);
    return mergedRuns(symbols, tones);
  }

  #write(row: number, text: string, tone: Tone, symbols: string[], tones: Tone[]): void {
    const { length } = text;
    for (const start of [this.#cells - length, 1, (this.#cells - length) >> 1]) {
      const from = row * this.#cells + start;
      const isFree =
        start >= 0 && start + length <= this.#cells && !this.#dots.slice(from, from + length).some(Boolean);
      if (!isFree || symbols.slice(start, start + length).some((symbol) => symbol !== ' ' && symbol !== '┄')) continue;
      symbols.splice(start, length, ...text.split(''));
      tones.fill(tone, start, start + length);
      return;
    }
  }
}

function mergedRuns(symbols: readonly string[], tones: readonly Tone[]): readonly Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let cell = 1; cell <= symbols.length; cell++) {
    if (cell < symbols.length && tones[cell] === tones[start]) continue;
    runs.push(run(symbols.slice(start, cell).join(''), tones[start]));
    start = cell;
  }
  return runs;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Possible times between two labels of the time axis. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 365].map((count) => count * DAY_MS),
] as const;

/** Minimum distance of two times on the axis, in cells. */
const TIME_CELLS = 9;

/** The time span of an axis, as in a plot. */
type AxisSpan = Pick<Plot, 'since' | 'until' | 'zone'>;

/**
 * Returns a time axis: a line with marks, and the times below the marks.
 *
 * @param zoneName text left of the times; the axis begins two cells after it
 */
export function timeAxis(
  { since, until, zone = localZone() }: AxisSpan,
  zoneName: string,
  cells: number,
): readonly Line[] {
  const offsetMs = utcOffsetMs(until, zone);
  const span = Math.max(1, until - since);
  const most = Math.max(1, Math.floor(cells / TIME_CELLS));
  const stepMs = TIME_STEPS.find((step) => span / step <= most) ?? span;
  const axis = Array.from({ length: cells }, () => '─');
  let times = '';
  // The steps are full hours of the zone, not of UTC.
  for (let at = Math.ceil((since + offsetMs) / stepMs) * stepMs - offsetMs; at <= until; at += stepMs) {
    const cell = Math.min(cells - 1, Math.floor(((at - since) / span) * cells));
    const text =
      stepMs >= DAY_MS ? dateText(at, zone).slice(5) : timeOfDayText(at, zone, 'minutes').slice(0, CLOCK_CELLS);
    const start = Math.max(0, Math.min(cells - text.length, cell - (text.length >> 1)));
    axis[cell] = '┬';
    if (start > times.length || times === '') times = times.padEnd(start) + text;
  }
  return [
    [run(`${' '.repeat(zoneName.length)} └${axis.join('')}`, 'faint')],
    [run(`${zoneName}  ${times.slice(0, cells).padEnd(cells)}`, 'faint')],
  ];
}

/** Returns the name of the zone at the end of the time axis, such as `UTC`, `CET` or `+05:30`. */
export function zoneText({ until, zone = localZone() }: AxisSpan): string {
  const suffix = timeOfDayText(until, zone, 'minutes').slice(CLOCK_CELLS).trim();
  return suffix === 'Z' ? 'UTC' : suffix;
}

/** Width of a time of day such as `22:14`. */
const CLOCK_CELLS = 5;
