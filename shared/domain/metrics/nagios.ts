import { decimalOf, POINTS_MAX, type MetricPoint, type ReadMetrics } from './point.ts';

/** `'label'=value[unit];warn;crit;min;max`; a quote within quotes is written twice. */
const MEASUREMENT = /(?:'((?:[^']|'')+)'|([^\s='|]+))=([^\s;]*)[^\s]*/gu;

/** Performance data: behind the first `|` of the first line, and behind that of a later one to the end. */
export function readNagios(output: string, now: number): ReadMetrics {
  const points: MetricPoint[] = [];
  let unreadable = 0;
  for (const [, quoted, bare = '', text = ''] of performanceData(output).matchAll(MEASUREMENT)) {
    const value = decimalOf(/^[+-]?[\d.]+(?:[eE][+-]?\d+)?/.exec(text)?.[0]);
    // U: it could not be measured.
    if (value === undefined || points.length === POINTS_MAX) unreadable++;
    else points.push({ name: quoted?.replaceAll("''", "'") ?? bare, value, tags: {}, timestamp: now });
  }
  return { points, unreadable };
}

function performanceData(output: string): string {
  const end = output.indexOf('\n');
  const first = end === -1 ? output : output.slice(0, end);
  const rest = end === -1 ? '' : output.slice(end + 1);
  return `${behindBar(first)} ${behindBar(rest)}`;
}

function behindBar(text: string): string {
  const at = text.indexOf('|');
  return at === -1 ? '' : text.slice(at + 1);
}
