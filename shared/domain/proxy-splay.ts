/** Percent of the interval over which proxy check requests are spread when the check says nothing else (reference 2.2.3). */
const SPLAY_COVERAGE = 90;

/**
 * Milliseconds between the proxy check requests of one run: so that all of them fall into the covered part of the
 * interval, and the rest is left for the last ones to be executed (completion 1.13).
 *
 * @param periodMs the interval of the check; for one with cron, the time until its next run
 * @param matches clients that get a request
 * @param coverage percent, 1 to 99
 * @returns less than a millisecond where they are many; 0 without matches
 */
export function proxySplayMs(periodMs: number, matches: number, coverage: number = SPLAY_COVERAGE): number {
  return matches === 0 ? 0 : (Math.max(0, periodMs) * coverage) / 100 / matches;
}
