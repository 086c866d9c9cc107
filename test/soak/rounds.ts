import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';

/**
 * Returns the number of rounds of a soak test: the N of `npm run soak -- NAME --rounds N`, or `short` when the test
 * runs in the suite.
 */
export function rounds(short: number): number {
  return Number(process.env['SOAK_ROUNDS'] ?? short);
}

/** True if a soak run was requested with `--rounds`; tools that are missing on this machine are then a failure. */
export const isAskedFor = process.env['SOAK_ROUNDS'] !== undefined;

/** Returns the timeout for all rounds of a test, including the start of its processes. */
export function roundsTimeoutMs(short: number, msPerRound: number): number {
  return 4 * PATIENCE.timeout + rounds(short) * msPerRound;
}

/**
 * Returns the seed of a soak test: `SOAK_SEED`, or a new one for each run. It is printed, so that a run can be
 * reproduced.
 */
export function seed(): number {
  const value = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`SOAK_SEED=${String(value)}`);
  return value;
}

/**
 * Waits for the time under load before a kill. In the short form it also waits until a write was acknowledged, because
 * a kill before the first response tests nothing. Ends early if `writing` ends, and rejects if `writing` does because a
 * writer got a wrong response.
 */
export async function underLoad(
  ms: number,
  { writing, hasAcknowledged }: { readonly writing: Promise<unknown>; readonly hasAcknowledged: () => boolean },
): Promise<void> {
  const loaded = async (): Promise<void> => {
    await delay(ms);
    if (!isAskedFor) await vi.waitUntil(hasAcknowledged, { ...PATIENCE, interval: 1 });
  };
  await Promise.race([loaded(), writing]);
}
