/**
 * Time for which tests wait for a condition: only a fault exceeds it, even on a slow and busy machine. It is a fraction
 * of the test timeout (vitest.config.ts), so that a failure says which condition is missing. `interval` is the polling
 * interval of `expect.poll`.
 */
export const PATIENCE = { timeout: 60_000, interval: 25 };

const LOOK_MS_MIN = 5;
const LOOK_MS_MAX = 100;

/**
 * Returns the milliseconds until the next poll: few at first, then more. Most polls send a request, which takes time
 * from the work that the test waits for.
 */
export function pollDelayMs(waitedMs: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitedMs / 4));
}
