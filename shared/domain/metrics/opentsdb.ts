import { decimalOf, pointsOfLines, tagsOf, type MetricPoint, type ParsedMetrics } from './point.ts';

/** OpenTSDB timestamps from this value on are in milliseconds; smaller ones are in seconds. */
const MILLISECONDS_MIN = 100_000_000_000;

/** Parses OpenTSDB lines `metric timestamp value tag=value`, optionally with a leading `put`. */
export function readOpentsdb(output: string): ParsedMetrics {
  return pointsOfLines(output, (line) => {
    const [name = '', time, text, ...pairs] = line.replace(/^put\s+/, '').split(/\s+/);
    const [timestamp, value, tags] = [decimalOf(time), decimalOf(text), tagsOf(pairs)];
    if (name === '' || timestamp === undefined || value === undefined || tags === undefined) return undefined;
    return [{ name, value, tags, timestamp: timestamp >= MILLISECONDS_MIN ? timestamp / 1000 : timestamp }];
  });
}

/** Formats points for the line protocol of OpenTSDB, with `put`; unsupported characters become underscores. */
export function writeOpentsdb(points: readonly MetricPoint[]): string {
  return points
    .map(({ name, value, tags, timestamp }) => {
      const pairs = Object.entries(tags).flatMap(([tag, text]) =>
        text === '' ? [] : ` ${sanitizeText(tag)}=${sanitizeText(text)}`,
      );
      return `put ${sanitizeText(name)} ${String(Math.floor(timestamp))} ${String(value)}${pairs.join('')}\n`;
    })
    .join('');
}

function sanitizeText(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}_./-]+/gu, '_');
}
