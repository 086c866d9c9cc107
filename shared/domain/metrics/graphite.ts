import { decimalOf, pointsOfLines, tagsOf, type MetricPoint, type ParsedMetrics } from './point.ts';

/**
 * Parses Graphite lines `path value timestamp`, optionally with tags in the path: `path;tag=value`. A missing or
 * negative timestamp means `now`.
 */
export function readGraphite(output: string, now: number): ParsedMetrics {
  return pointsOfLines(output, (line) => {
    const [path = '', text, time = '-1', ...more] = line.split(/\s+/);
    const [name = '', ...pairs] = path.split(';');
    const [value, timestamp, tags] = [decimalOf(text), decimalOf(time), tagsOf(pairs)];
    if (name === '' || value === undefined || timestamp === undefined || tags === undefined || more.length > 0) {
      return undefined;
    }
    return [{ name, value, tags, timestamp: timestamp < 0 ? now : timestamp }];
  });
}

/** Formats points as Graphite lines. In names and tags, characters with a meaning in Graphite become underscores. */
export function writeGraphite(points: readonly MetricPoint[]): string {
  return points
    .map(({ name, value, tags, timestamp }) => {
      const pairs = Object.entries(tags).flatMap(([tag, text]) =>
        // Graphite does not allow empty tag values.
        text === '' ? [] : `;${replaceUnsafe(tag).replaceAll(/[!^=]/g, '_')}=${replaceUnsafe(text).replace(/^~/, '_')}`,
      );
      return `${replaceUnsafe(name)}${pairs.join('')} ${String(value)} ${String(Math.floor(timestamp))}\n`;
    })
    .join('');
}

const UNSAFE_CHARACTERS = /[\s;\p{Cc}]+/gu;

function replaceUnsafe(text: string): string {
  return text.replaceAll(UNSAFE_CHARACTERS, '_');
}
