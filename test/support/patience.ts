/**
 * How long a test waits for what it expects, and how often it looks: a bound that only a fault passes, also on a machine
 * that is slow and busy. A fraction of the time of a test (vitest.config.ts), so that a failure says what did not come.
 */
export const PATIENCE = { timeout: 60_000, interval: 10 };
