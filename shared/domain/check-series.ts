import { firstMeasurements, limitsOf, type Measurement, type MeasurementLimits } from './metrics/nagios.ts';

/*
 * The series of a check on a client: its duration and a few metrics of its performance data over the last day. The
 * results of five minutes become one point. `mon` is no time series database: the size of a series is fixed, and older
 * points are overwritten (spec, series 1).
 */

/** Seconds whose results become one point of a series. */
export const SERIES_STEP_SECONDS = 300;

/** Maximum number of points of a series that are shown: a day of steps. */
export const SERIES_POINTS_MAX = 288;

/** Maximum number of metrics of a check that are recorded, besides its duration. */
const SERIES_METRICS_MAX = 4;

/** Number of points in a full chunk, the unit in which points are stored. */
const CHUNK_POINTS = 12;

/** Maximum number of full chunks of a series. A newer one overwrites the oldest. */
const CHUNKS_MAX = SERIES_POINTS_MAX / CHUNK_POINTS;

/** Values above this are errors of a check. They are not recorded, because sums of them would not be numbers. */
const RECORDED_VALUE_MAX = 1e100;

/** Number of significant digits of a recorded value. */
const VALUE_DIGITS = 7;

/** A metric of a series: label and unit identify it, the limits are those of the newest point. */
export interface SeriesMetric extends MeasurementLimits {
  readonly label: string;
  readonly unit: string;
}

/** The values of one step: a number if they are all equal, or average, minimum and maximum; null if there are none. */
type StoredValue = number | readonly [average: number, min: number, max: number] | null;

/** A point as it is stored: the number of its step, the duration in seconds, and the values of the metrics. */
export type StoredPoint = readonly [step: number, duration: StoredValue, ...metrics: StoredValue[]];

/** A full chunk, which is stored under its own key. */
export interface SeriesChunk {
  readonly slot: number;
  readonly text: string;
}

/** The outcome of a result that ended a step: the series must be stored, and the full chunk if there is one. */
export interface EndedStep {
  readonly chunk: SeriesChunk | undefined;
}

/** The parts of a result that a series is made of. */
export interface SeriesSample {
  /** Time at which the check ran, in epoch seconds. */
  readonly executed: number;
  /** Duration of the run in seconds; undefined if none was reported. */
  readonly duration: number | undefined;
  /** The output; undefined if it is the same as in the previous result. */
  readonly output: string | undefined;
}

/** True if a result has a duration or a metric, so that there is something to record. */
export function hasSample({ duration, output = '' }: SeriesSample): boolean {
  return duration !== undefined || firstMeasurements(output, 1).length > 0;
}

/** The stored form of a series without its full chunks. */
interface StoredSeries {
  /** Seconds by which the steps of this series begin before a multiple of `SERIES_STEP_SECONDS`. */
  readonly offset: number;
  /** Number of full chunks that were stored so far. */
  readonly chunks: number;
  readonly metrics: readonly SeriesMetric[];
  /** The points after the last full chunk. */
  readonly points: readonly StoredPoint[];
}

const ELEMENT_POSITIONS = { count: 0, sum: 1, min: 2, max: 3, last: 4 } as const;
const ELEMENT_COUNT = 5;

/** The series of a check. It is changed in place, because it is updated by every result. */
export class CheckSeries {
  readonly #offset: number;
  /** Number of full chunks that were stored so far. */
  #chunks = 0;
  #metrics: readonly SeriesMetric[] = [];
  /** The points after the last full chunk, as JSON without brackets. */
  #points = '';
  #pointCount = 0;
  /** The step of the newest point. */
  #lastStep = -Infinity;
  /** The step that the newest results belong to; undefined if there was none since the series was loaded. */
  #step: number | undefined;
  /** Count, sum, minimum, maximum and last value in the current step, of the duration and of each metric. */
  #values: number[] = [];

  private constructor(offset: number) {
    this.#offset = offset;
  }

  /**
   * Returns an empty series. Its steps begin at a time that depends on the names, so that not all series are stored at
   * the same moment.
   */
  static empty(client: string, check: string): CheckSeries {
    return new CheckSeries(hashOf(`${client}\n${check}`) % SERIES_STEP_SECONDS);
  }

  /** Parses the text that `encode` returned. */
  static decode(text: string): CheckSeries {
    const { offset, chunks, metrics, points } = JSON.parse(text) as StoredSeries;
    const series = new CheckSeries(offset);
    series.#chunks = chunks;
    series.#metrics = metrics;
    series.#points = JSON.stringify(points).slice(1, -1);
    series.#pointCount = points.length;
    series.#lastStep = points.at(-1)?.[0] ?? -Infinity;
    return series;
  }

  /** Returns the text to store: everything except the full chunks and the current step. */
  encode(): string {
    return `{"offset":${String(this.#offset)},"chunks":${String(this.#chunks)},"metrics":${JSON.stringify(this.#metrics)},"points":[${this.#points}]}`;
  }

  /** The slots of the full chunks that are stored. */
  get slots(): readonly number[] {
    return Array.from({ length: Math.min(this.#chunks, CHUNKS_MAX) }, (_, slot) => slot);
  }

  /**
   * Adds a result. A result of an earlier step than the newest one is too late and is ignored. If the clock was set
   * back, the series continues from the earlier time.
   *
   * @param now current time in epoch seconds; a result from the future counts as one of now
   * @returns undefined unless the result ended a step
   */
  add({ executed, duration, output }: SeriesSample, now: number): EndedStep | undefined {
    const step = this.#stepOf(Math.min(executed, now));
    const measured = output === undefined ? undefined : firstMeasurements(output, SERIES_METRICS_MAX);
    if (step === this.#step) {
      this.#addSample(duration, measured);
      return undefined;
    }
    if (this.#isAhead(now)) this.#goBack(this.#stepOf(now));
    if (step <= this.#lastStep || (this.#step !== undefined && step < this.#step)) return undefined;
    const ended = this.#endStep();
    const chunk = measured === undefined ? undefined : this.#updateMetrics(measured);
    this.#step = step;
    this.#addSample(duration, measured);
    return chunk === undefined ? ended : { chunk };
  }

  /** The current step as a point; undefined if it has no values. It is not stored yet. */
  get currentPoint(): StoredPoint | undefined {
    const text = this.#pointText();
    return text === undefined ? undefined : (JSON.parse(text) as StoredPoint);
  }

  #stepOf(seconds: number): number {
    return Math.floor((seconds + this.#offset) / SERIES_STEP_SECONDS);
  }

  /** Whether the newest step is in the future, because the clock was set back. */
  #isAhead(now: number): boolean {
    return Math.max(this.#step ?? -Infinity, this.#lastStep) > this.#stepOf(now);
  }

  /** Drops what is later than a step. Full chunks are overwritten in time; until then, readers leave them out. */
  #goBack(step: number): void {
    const points = (JSON.parse(`[${this.#points}]`) as StoredPoint[]).filter(([at]) => at <= step);
    this.#points = JSON.stringify(points).slice(1, -1);
    this.#pointCount = points.length;
    this.#lastStep = points.at(-1)?.[0] ?? -Infinity;
    this.#step = undefined;
    this.#values = [];
  }

  #addSample(duration: number | undefined, measured: readonly Measurement[] | undefined): void {
    if (duration !== undefined) this.#addValue(0, duration);
    if (measured !== undefined) {
      for (const { label, unit, value, limits } of measured) {
        const at = this.#metrics.findIndex((metric) => metric.label === label && metric.unit === unit);
        if (at !== -1) this.#addValue(at + 1, value);
        else if (this.#metrics.length < SERIES_METRICS_MAX) {
          this.#metrics = [...this.#metrics, { label, unit, ...limitsOf(limits) }];
          this.#addValue(this.#metrics.length, value);
        }
      }
      return;
    }
    for (let at = 1; at <= this.#metrics.length; at++) {
      const last = this.#values[at * ELEMENT_COUNT + ELEMENT_POSITIONS.last];
      if (last !== undefined && !Number.isNaN(last)) this.#addValue(at, last);
    }
  }

  #addValue(at: number, value: number): void {
    // A comparison with NaN is false, so NaN is left out too.
    if (!(Math.abs(value) <= RECORDED_VALUE_MAX)) return;
    const values = this.#values;
    const from = at * ELEMENT_COUNT;
    while (values.length < from + ELEMENT_COUNT) values.push(0, 0, Infinity, -Infinity, NaN);
    values[from + ELEMENT_POSITIONS.count] = (values[from + ELEMENT_POSITIONS.count] ?? 0) + 1;
    values[from + ELEMENT_POSITIONS.sum] = (values[from + ELEMENT_POSITIONS.sum] ?? 0) + value;
    values[from + ELEMENT_POSITIONS.min] = Math.min(values[from + ELEMENT_POSITIONS.min] ?? value, value);
    values[from + ELEMENT_POSITIONS.max] = Math.max(values[from + ELEMENT_POSITIONS.max] ?? value, value);
    values[from + ELEMENT_POSITIONS.last] = value;
  }

  /**
   * Updates the limits of the metrics at the begin of a step. If a new metric has no room, the series begins again with
   * the metrics of this result.
   *
   * @returns the chunk with the points of the previous metrics, if there are any
   */
  #updateMetrics(measured: readonly Measurement[]): SeriesChunk | undefined {
    const updated = [...this.#metrics];
    for (const { label, unit, limits } of measured) {
      const at = updated.findIndex((metric) => metric.label === label && metric.unit === unit);
      const metric = { label, unit, ...limitsOf(limits) };
      if (at === -1) updated.push(metric);
      else if (!isSameMetric(metric, updated[at])) updated[at] = metric;
    }
    if (updated.length <= SERIES_METRICS_MAX) {
      this.#metrics = updated;
      return undefined;
    }
    const chunk = this.#pointCount === 0 ? undefined : this.#takeChunk();
    this.#metrics = measured.map(({ label, unit, limits }) => ({ label, unit, ...limitsOf(limits) }));
    this.#values = [];
    return chunk;
  }

  #endStep(): EndedStep | undefined {
    const text = this.#pointText();
    // The last values stay, because a later result can repeat its output.
    const values = this.#values;
    for (let from = 0; from < values.length; from += ELEMENT_COUNT) {
      values[from + ELEMENT_POSITIONS.count] = 0;
      values[from + ELEMENT_POSITIONS.sum] = 0;
      values[from + ELEMENT_POSITIONS.min] = Infinity;
      values[from + ELEMENT_POSITIONS.max] = -Infinity;
    }
    if (text === undefined) return undefined;
    this.#points = this.#points === '' ? text : `${this.#points},${text}`;
    this.#pointCount++;
    this.#lastStep = this.#step ?? this.#lastStep;
    return { chunk: this.#pointCount < CHUNK_POINTS ? undefined : this.#takeChunk() };
  }

  #takeChunk(): SeriesChunk {
    const names = this.#metrics.map(({ label, unit }) => [label, unit]);
    const text = `{"metrics":${JSON.stringify(names)},"points":[${this.#points}]}`;
    const slot = this.#chunks++ % CHUNKS_MAX;
    this.#points = '';
    this.#pointCount = 0;
    return { slot, text };
  }

  #pointText(): string | undefined {
    const values = this.#values;
    let text = '';
    let hasValue = false;
    for (let from = 0; from < values.length; from += ELEMENT_COUNT) {
      const count = values[from + ELEMENT_POSITIONS.count] ?? 0;
      if (count > 0) hasValue = true;
      text += count === 0 ? ',null' : `,${valueText(values, from, count)}`;
    }
    if (!hasValue || this.#step === undefined) return undefined;
    return `[${String(this.#step)}${text}]`;
  }
}

function valueText(values: readonly number[], from: number, count: number): string {
  const min = roundValue(values[from + ELEMENT_POSITIONS.min] ?? 0);
  const max = roundValue(values[from + ELEMENT_POSITIONS.max] ?? 0);
  if (min === max) return min;
  return `[${roundValue((values[from + ELEMENT_POSITIONS.sum] ?? 0) / count)},${min},${max}]`;
}

function roundValue(value: number): string {
  return String(Number(value.toPrecision(VALUE_DIGITS)));
}

function isSameMetric(metric: SeriesMetric, other: SeriesMetric | undefined): boolean {
  const { warn, crit, min, max } = metric;
  return other !== undefined && warn === other.warn && crit === other.crit && min === other.min && max === other.max;
}

/** Returns a 32-bit hash of a text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The values of one step. */
export interface SeriesValue {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
}

/** A point of a series as it is shown. */
export interface SeriesPoint {
  /** Begin of the step, in epoch seconds. */
  readonly at: number;
  /** Durations in seconds; null if none was reported. */
  readonly duration: SeriesValue | null;
  /** The values of the metrics, in the order of the metrics; null if a metric was not reported. */
  readonly values: readonly (SeriesValue | null)[];
}

/** A series as it is shown: the current metrics, and the points of the last day, the oldest first. */
export interface ShownSeries {
  readonly metrics: readonly SeriesMetric[];
  readonly points: readonly SeriesPoint[];
}

/** The stored parts of a series. */
export interface StoredSeriesContent {
  /** The text that `CheckSeries.encode` returned. */
  readonly text: string;
  /** The stored chunks, in any order. */
  readonly chunks: readonly string[];
  /** The current step, if it is known. */
  readonly current: StoredPoint | undefined;
}

/** Returns the points of a series that are at most a day old. */
export function shownSeries({ text, chunks, current }: StoredSeriesContent, now: number): ShownSeries {
  const { offset, metrics, points } = JSON.parse(text) as StoredSeries;
  const names = metrics.map(({ label, unit }) => [label, unit] as const);
  const last = Math.floor((now + offset) / SERIES_STEP_SECONDS);
  const bySteps = new Map<number, SeriesPoint>();
  const show = (from: readonly (readonly [string, string])[], stored: readonly StoredPoint[]): void => {
    const columns = names.map(([label, unit]) => from.findIndex((name) => name[0] === label && name[1] === unit));
    for (const [step, duration, ...values] of stored) {
      if (step <= last - SERIES_POINTS_MAX || step > last) continue;
      bySteps.set(step, {
        at: step * SERIES_STEP_SECONDS - offset,
        duration: shownValue(duration),
        values: columns.map((column) => shownValue(values[column])),
      });
    }
  };
  for (const chunk of chunks) {
    const stored = JSON.parse(chunk) as { metrics: [string, string][]; points: StoredPoint[] };
    show(stored.metrics, stored.points);
  }
  show(names, points);
  if (current !== undefined) show(names, [current]);
  return { metrics, points: [...bySteps.values()].toSorted((a, b) => a.at - b.at) };
}

function shownValue(stored: StoredValue | undefined): SeriesValue | null {
  if (stored === null || stored === undefined) return null;
  const [avg, min, max] = typeof stored === 'number' ? [stored, stored, stored] : stored;
  return { avg, min, max };
}
