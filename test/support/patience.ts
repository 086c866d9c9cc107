/**
 * How long a test waits for what it expects: a bound that only a fault passes, also on a machine that is slow and busy. A
 * fraction of the time of a test (vitest.config.ts), so that a failure says what did not come. `interval`: how often
 * `expect.poll` looks, which knows no other pace.
 */
export const PATIENCE = { timeout: 60_000, interval: 25 };

const LOOK_MS_MIN = 5;
const LOOK_MS_MAX = 100;

/**
 * When to look again for what has not come yet: at once for what comes soon, ever more rarely for what takes long. Most looks
 * ask a backend, and what they take is missing for what they wait for.
 */
export function lookAgainMs(waitedMs: number): number {
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitedMs / 4));
}
