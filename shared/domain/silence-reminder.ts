import type { SilencedEntry } from '../schemas/silenced.ts';

/**
 * When it is pointed out that a silence is about to end (spec, reminder 1).
 *
 * @param beforeSeconds how long before its end; 0: never
 * @returns epoch milliseconds; undefined: it never is, or has been
 */
export function reminderAt(
  { begin, timestamp, expireAtMs, run, reminded }: SilencedEntry,
  beforeSeconds: number,
): number | undefined {
  // One that a command holds is always about to end, and is renewed.
  if (beforeSeconds === 0 || expireAtMs === null || run !== undefined || reminded !== undefined) return undefined;
  const atMs = expireAtMs - beforeSeconds * 1000;
  // Whoever makes a short one knows that it is short.
  return atMs > Math.max(timestamp, begin ?? 0) * 1000 ? atMs : undefined;
}
