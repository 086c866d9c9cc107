import { decimalOf, pointsOfLines, tagsOf, type MetricPoint, type ParsedMetrics } from './point.ts';

/**
 * Parses Influx lines `measurement,tag=value field=1,other=2i timestamp`, with timestamps in nanoseconds. Each numeric
 * or Boolean field becomes a point `measurement.field`; true is 1 and false is 0. Text fields are skipped.
 */
export function readInflux(output: string, now: number): ParsedMetrics {
  return pointsOfLines(output, (line) => {
    if (line.startsWith('#')) return [];
    const [key = '', set = '', time, ...more] = splitUnescaped(line, ' ').filter((part) => part !== '');
    const [measurement = '', ...pairs] = splitUnescaped(key, ',');
    const tags = tagsOf(pairs.map(unescapeText));
    const nanoseconds = time === undefined ? undefined : decimalOf(time);
    if (measurement === '' || set === '' || tags === undefined || more.length > 0) return undefined;
    if (time !== undefined && nanoseconds === undefined) return undefined;
    const timestamp = nanoseconds === undefined ? now : nanoseconds / 1e9;
    const points: MetricPoint[] = [];
    for (const field of splitUnescaped(set, ',')) {
      const at = field.indexOf('=');
      const value = fieldValue(field.slice(at + 1));
      if (at <= 0 || value === undefined) return undefined;
      if (value === null) continue;
      const name = `${unescapeText(measurement)}.${unescapeText(field.slice(0, at))}`;
      points.push({ name, value, tags, timestamp });
    }
    return points;
  });
}

/** Returns the numeric value of an Influx field; null if it is a text, undefined if it is invalid. */
function fieldValue(text: string): number | null | undefined {
  if (text.startsWith('"')) return text.length > 1 && text.endsWith('"') ? null : undefined;
  if (/^(?:t|T|true|True|TRUE)$/.test(text)) return 1;
  if (/^(?:f|F|false|False|FALSE)$/.test(text)) return 0;
  return decimalOf(/^[+-]?\d+[iu]$/.test(text) ? text.slice(0, -1) : text);
}

/** Splits a text at each separator that is neither escaped with a backslash nor within double quotes. */
function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (sign === separator && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unescapeText(text: string): string {
  return text.replaceAll(/\\([, =\\])/g, '$1');
}

/**
 * Formats each point as an Influx line: the name of the point is the measurement, and its value the field `value`.
 * Timestamps are in nanoseconds.
 */
export function writeInflux(points: readonly MetricPoint[]): string {
  return points
    .map(({ name, value, tags, timestamp }) => {
      const pairs = Object.entries(tags)
        // Influx does not allow empty tag values.
        .filter(([, text]) => text !== '')
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([tag, text]) => `,${escapeText(tag)}=${escapeText(text)}`);
      // A JavaScript number cannot represent nanoseconds exactly, so six zeros are appended to the milliseconds.
      const time = `${String(Math.round(timestamp * 1000))}000000`;
      return `${escapeText(name)}${pairs.join('')} value=${String(value)} ${time}\n`;
    })
    .join('');
}

function escapeText(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, '_')
    .replaceAll('\\', '_')
    .replaceAll(/[, =]/g, String.raw`\$&`);
}
