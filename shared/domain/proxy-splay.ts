/** Default percentage of the interval over which proxy check requests are spread (reference 2.2.3). */
const SPLAY_COVERAGE = 90;

/**
 * Returns the milliseconds between the requests for two proxy clients in one run of a check. The requests are spread
 * over `coverage` percent of the interval, so that time is left to execute the last ones (completion 1.13).
 *
 * @param periodMs the interval of the check; with cron, the time until its next run
 * @param matches number of proxy clients for which the check is run
 * @param coverage percent, 1 to 99
 * @returns milliseconds, with a fraction if there are many clients; 0 if there are no clients
 */
export function proxySplayMs(periodMs: number, matches: number, coverage: number = SPLAY_COVERAGE): number {
  return matches === 0 ? 0 : (Math.max(0, periodMs) * coverage) / 100 / matches;
}
