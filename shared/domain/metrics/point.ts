/** One measured value of a metric (prometheus 3.1). */
export interface MetricPoint {
  readonly name: string;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Time of the measurement in epoch seconds. */
  readonly timestamp: number;
}

/** The metrics parsed from the output of a check. */
export interface ParsedMetrics {
  readonly points: readonly MetricPoint[];
  /** Number of lines or measurements that could not be parsed or exceeded the limit. */
  readonly unreadable: number;
}

/** Maximum number of metric points that are read from the output of one check run. */
export const POINTS_MAX = 10_000;

/** Maximum length of a line of metrics; longer lines are not parsed. */
const LINE_LENGTH_MAX = 64 * 1024;

/**
 * Parses an output with metric points line by line.
 *
 * @param read callback that returns the points of a non-blank line; undefined if the line cannot be parsed
 */
export function pointsOfLines(
  output: string,
  read: (line: string) => readonly MetricPoint[] | undefined,
): ParsedMetrics {
  const points: MetricPoint[] = [];
  let unreadable = 0;
  for (const rawLine of output.split('\n')) {
    const line = rawLine.trim();
    if (line === '') continue;
    const linePoints = line.length > LINE_LENGTH_MAX ? undefined : read(line);
    if (linePoints === undefined || points.length + linePoints.length > POINTS_MAX) unreadable++;
    else points.push(...linePoints);
  }
  return { points, unreadable };
}

const DECIMAL_FORMAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a finite decimal number; returns undefined for any other text. */
export function decimalOf(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 64 || !DECIMAL_FORMAT.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Parses metric tags from pairs such as `a=b`; returns undefined if at least one pair is invalid. */
export function tagsOf(pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
  const tags: [string, string][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) return undefined;
    tags.push([pair.slice(0, at), pair.slice(at + 1)]);
  }
  return Object.fromEntries(tags);
}
