import { decimalOf, pointsOfLines, type MetricPoint, type ParsedMetrics } from './point.ts';

const NAME_FORMAT = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL_FORMAT = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|$)/;

/**
 * Parses the Prometheus text format, `name{label="value"} 1 timestamp`, with timestamps in milliseconds. Comments are
 * skipped, and so are samples whose value is infinite or NaN.
 */
export function readPrometheus(output: string, now: number): ParsedMetrics {
  return pointsOfLines(output, (line) => {
    if (line.startsWith('#')) return [];
    const name = NAME_FORMAT.exec(line)?.[0];
    if (name === undefined) return undefined;
    const remaining = line.slice(name.length).trimStart();
    const end = remaining.startsWith('{') ? endOfLabels(remaining) : -1;
    if (end === -1 && remaining.startsWith('{')) return undefined;
    const tags = end === -1 ? {} : labelsOf(remaining.slice(1, end));
    const [text, time, ...more] = remaining
      .slice(end + 1)
      .trim()
      .split(/\s+/);
    if (tags === undefined || more.length > 0) return undefined;
    if (/^[+-]?(?:NaN|Inf)$/i.test(text ?? '')) return [];
    const value = decimalOf(text);
    const milliseconds = time === undefined ? now * 1000 : decimalOf(time);
    if (value === undefined || milliseconds === undefined) return undefined;
    return [{ name, value, tags, timestamp: milliseconds / 1000 }];
  });
}

function endOfLabels(text: string): number {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '}' && !isQuoted) return at;
  }
  return -1;
}

function labelsOf(text: string): Readonly<Record<string, string>> | undefined {
  const labels: [string, string][] = [];
  let remaining = text;
  while (remaining.trim() !== '') {
    const [pair = '', name = '', value = ''] = LABEL_FORMAT.exec(remaining) ?? [];
    if (pair === '') return undefined;
    labels.push([name, value.replaceAll(/\\(.)/g, (_sequence, sign: string) => (sign === 'n' ? '\n' : sign))]);
    remaining = remaining.slice(pair.length);
  }
  return Object.fromEntries(labels);
}

/** Formats each point as a line without a timestamp, so that Prometheus uses the time of the scrape. */
export function writePrometheus(points: readonly MetricPoint[]): string {
  return points.map((point) => `${seriesText(point)} ${String(point.value)}\n`).join('');
}

/**
 * Returns the name and labels of a point in the Prometheus text format. They identify its series; each series must
 * appear only once in a response to a scrape.
 */
export function seriesText({ name, tags }: Pick<MetricPoint, 'name' | 'tags'>): string {
  const labels = new Map<string, string>();
  for (const [tag, text] of Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    // Different tags can become the same label name; the last of them is used.
    labels.set(
      labelName(tag),
      text
        .replaceAll('\\', '\\\\')
        .replaceAll('"', String.raw`\"`)
        .replaceAll('\n', '\\n'),
    );
  }
  const pairs = Array.from(labels, ([label, text]) => `${label}="${text}"`);
  return `${metricName(name)}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`}`;
}

function metricName(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_:]/g, '_').replace(/^(?=\d|$)/, '_');
}

function labelName(text: string): string {
  return text
    .replaceAll(/[^a-zA-Z0-9_]/g, '_')
    .replace(/^(?=\d|$)/, '_')
    .replace(/^__+/, '_');
}
