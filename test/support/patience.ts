/**
 * How long a test waits: a limit that only a fault exceeds, even on a slow and busy machine. It is a fraction
 * of the test timeout (vitest.config.ts), so that a failure says what is missing. `interval` is the fixed
 * polling interval of `expect.poll`.
 */
export const PATIENCE = { timeout: 60_000, interval: 25 };

const LOOK_MS_MIN = 5;
const LOOK_MS_MAX = 100;

/**
 * Returns the time until the next check: short at first, then longer. Most checks send a request, whose cost
 * delays what they wait for.
 */
export function lookAgainMs(waitedMs: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitedMs / 4));
}
