import { decimalOf, POINTS_MAX, type MetricPoint, type ParsedMetrics } from './point.ts';

/**
 * Parses Nagios performance data: the text after the first `|` of the first line, and the text after the first `|` in
 * all further lines. A measurement is `'label'=value[unit];warn;crit;min;max`; a quote within a label is doubled.
 */
export function readNagios(output: string, now: number): ParsedMetrics {
  const points: MetricPoint[] = [];
  let unreadable = 0;
  for (const measurement of measurementsIn(performanceData(output))) {
    const point = pointOf(measurement, now);
    if (point === undefined || points.length === POINTS_MAX) unreadable++;
    else points.push(point);
  }
  return { points, unreadable };
}

/** Splits performance data into measurements, at white space outside of single quotes. */
function* measurementsIn(text: string): Generator<string, void, undefined> {
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
