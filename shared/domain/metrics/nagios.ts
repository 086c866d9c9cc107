import { decimalOf, POINTS_MAX, type MetricPoint, type ParsedMetrics } from './point.ts';

/**
 * Parses Nagios performance data: the text after the first `|` of the first line, and the text after the first `|` in
 * all further lines. A measurement is `'label'=value[unit];warn;crit;min;max`; a quote within a label is doubled.
 */
export function readNagios(output: string, now: number): ParsedMetrics {
  const points: MetricPoint[] = [];
  let unreadable = 0;
  for (const measurement of splitMeasurements(performanceData(output))) {
    const point = pointOf(measurement, now);
    if (point === undefined || points.length === POINTS_MAX) unreadable++;
    else points.push(point);
  }
  return { points, unreadable };
}

/** Splits performance data into measurements, at white space outside of single quotes. */
function* splitMeasurements(text: string): Generator<string, void, undefined> {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === "'") isQuoted = !isQuoted;
    if (sign !== undefined && (isQuoted || !/\s/.test(sign))) continue;
    if (at > start) yield text.slice(start, at);
    start = at + 1;
  }
}

function pointOf(measurement: string, timestamp: number): MetricPoint | undefined {
  const at = measurement.lastIndexOf('=');
  const label = measurement.slice(0, Math.max(at, 0));
  const isQuoted = label.startsWith("'") && label.endsWith("'") && label.length > 2;
  const name = isQuoted ? label.slice(1, -1).replaceAll("''", "'") : label;
  // A value `U`, which Nagios uses if nothing could be measured, yields no point.
  const value = decimalOf(
    /^[+-]?[\d.]+(?:[eE][+-]?\d+)?/.exec(measurement.slice(at + 1, at + 1 + VALUE_LENGTH_MAX))?.[0],
  );
  return name === '' || value === undefined ? undefined : { name, value, tags: {}, timestamp };
}

const VALUE_LENGTH_MAX = 64;

/** A measurement in performance data, with its unit and its limits. */
export interface Measurement {
  readonly label: string;
  readonly value: number;
  /** The unit as the check wrote it, such as `s`, `%` or `MB`; empty if there is none. */
  readonly unit: string;
  /** The text `warn;crit;min;max` behind the unit; empty if there is none. `limitsOf` parses it. */
  readonly limits: string;
}

/** Maximum number of characters of an output that are searched for measurements. */
const MEASURED_LENGTH_MAX = 16 * 1024;

/** Maximum number of words that are parsed to find measurements with a value. */
const ATTEMPTS_MAX = 64;

/** Maximum lengths of a label and a unit. A measurement with a longer one is not read. */
const LABEL_LENGTH_MAX = 100;
const UNIT_LENGTH_MAX = 10;

/**
 * Returns the first measurements of the performance data in an output. It runs for every result with a new output, so
 * it reads only what it returns: not the whole output, and not the limits.
 *
 * @param most maximum number of measurements
 */
export function firstMeasurements(output: string, most: number): readonly Measurement[] {
  const bar = output.indexOf('|');
  if (bar === -1 || bar > MEASURED_LENGTH_MAX) return NO_MEASUREMENTS;
  const lineEnd = output.indexOf('\n');
  const measurements: Measurement[] = [];
  const end = Math.min(output.length, MEASURED_LENGTH_MAX);
  if (lineEnd === -1) collectMeasurements(output, { from: bar + 1, end, most }, measurements);
  else {
    if (bar < lineEnd) collectMeasurements(output, { from: bar + 1, end: Math.min(end, lineEnd), most }, measurements);
    const nextBar = bar < lineEnd ? output.indexOf('|', lineEnd) : bar;
    if (nextBar !== -1 && measurements.length < most)
      collectMeasurements(output, { from: nextBar + 1, end, most }, measurements);
  }
  return measurements;
}

const NO_MEASUREMENTS: readonly Measurement[] = [];

const SPACE_CODE = 32;
const QUOTE_CODE = 39;
const SEMICOLON_CODE = 59;
const EQUALS_CODE = 61;
const UPPER_E_CODE = 69;
const LOWER_E_CODE = 101;

/**
 * Adds the measurements of a part of an output, up to the maximum number. It works on codes of characters for speed.
 */
function collectMeasurements(
  text: string,
  { from, end, most }: { readonly from: number; readonly end: number; readonly most: number },
  measurements: Measurement[],
): void {
  let at = from;
  for (let attempt = 0; attempt < ATTEMPTS_MAX && measurements.length < most; attempt++) {
    while (at < end && text.charCodeAt(at) <= SPACE_CODE) at++;
    if (at >= end) return;
    const start = at;
    let isQuoted = false;
    let equals = -1;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE_CODE) isQuoted = !isQuoted;
      else if (isQuoted) continue;
      else if (code <= SPACE_CODE) break;
      else if (code === EQUALS_CODE && equals === -1) equals = at;
    }
    const measurement = equals > start ? parseMeasurement(text, { start, equals, end: at }) : undefined;
    if (measurement !== undefined) measurements.push(measurement);
  }
}

function parseMeasurement(
  text: string,
  { start, equals, end }: { readonly start: number; readonly equals: number; readonly end: number },
): Measurement | undefined {
  if (equals - start > LABEL_LENGTH_MAX) return undefined;
  let at = equals + 1;
  while (at < end && isNumeric(text, at, equals + 1)) at++;
  const digits = text.slice(equals + 1, at);
  const value = Number(digits);
  if (digits === '' || !Number.isFinite(value)) return undefined;
  let unitEnd = at;
  while (unitEnd < end && text.charCodeAt(unitEnd) !== SEMICOLON_CODE) unitEnd++;
  if (unitEnd - at > UNIT_LENGTH_MAX) return undefined;
  const isQuoted = text.charCodeAt(start) === QUOTE_CODE && text.charCodeAt(equals - 1) === QUOTE_CODE;
  const label = isQuoted ? text.slice(start + 1, equals - 1).replaceAll("''", "'") : text.slice(start, equals);
  if (label === '') return undefined;
  return { label, value, unit: text.slice(at, unitEnd), limits: text.slice(unitEnd + 1, end) };
}

/**
 * Whether a character belongs to a number: a digit, a point, a sign at its begin or after its exponent, an exponent.
 */
function isNumeric(text: string, at: number, begin: number): boolean {
  const code = text.charCodeAt(at);
  if ((code >= 48 && code <= 57) || code === 46) return true;
  if (code === 43 || code === 45) return at === begin || (text.charCodeAt(at - 1) | 32) === LOWER_E_CODE;
  // The letter is an exponent only if a number follows, because units can begin with it too.
  return (code === LOWER_E_CODE || code === UPPER_E_CODE) && at > begin && /^[+-]?\d/.test(text.slice(at + 1, at + 3));
}

/** The limits of a measurement: two ranges in the notation of Nagios plugins, and the possible values. */
export interface MeasurementLimits {
  readonly warn: string | null;
  readonly crit: string | null;
  readonly min: number | null;
  readonly max: number | null;
}

const LIMITS_LENGTH_MAX = 200;

const NO_LIMITS: MeasurementLimits = { warn: null, crit: null, min: null, max: null };

/** Parses the limits of a measurement. Invalid ones become null. */
export function limitsOf(text: string): MeasurementLimits {
  if (text === '' || text.length > LIMITS_LENGTH_MAX) return NO_LIMITS;
  const [warn, crit, min, max] = text.split(';');
  return { warn: rangeOf(warn), crit: rangeOf(crit), min: decimalOf(min) ?? null, max: decimalOf(max) ?? null };
}

/** Maximum length of a range. Longer numbers are not exact anyway. */
const RANGE_LENGTH_MAX = 50;

const RANGE_FORMAT = /^@?(?:(~|[+-]?[\d.]+(?:[eE][+-]?\d{1,3})?)?(:))?([+-]?[\d.]+(?:[eE][+-]?\d{1,3})?)?$/;

function rangeOf(text = ''): string | null {
  return text !== '' && text.length <= RANGE_LENGTH_MAX && RANGE_FORMAT.test(text) ? text : null;
}

/**
 * Returns the ends of a range in the notation of Nagios plugins: `10` and `~:10` have the end 10, `5:` has 5, `5:10`
 * and `@5:10` have both.
 */
export function rangeEnds(range: string): readonly number[] {
  const [, low, , high] = RANGE_FORMAT.exec(range) ?? [];
  return [low, high].map(decimalOf).filter((end) => end !== undefined);
}

function performanceData(output: string): string {
  const end = output.indexOf('\n');
  const first = end === -1 ? output : output.slice(0, end);
  const longOutput = end === -1 ? '' : output.slice(end + 1);
  return `${behindBar(first)} ${behindBar(longOutput)}`;
}

function behindBar(text: string): string {
  const at = text.indexOf('|');
  return at === -1 ? '' : text.slice(at + 1);
}
