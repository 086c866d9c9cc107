import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';

/**
 * Returns the number of rounds of a soak test: `npm run soak -- NAME --rounds N` sets it, the suite runs a
 * short form.
 */
export function rounds(short: number): number {
  return Number(process.env['SOAK_ROUNDS'] ?? short);
}

/** True if the long form was requested: then missing tools on this machine are a failure. */
export const isAskedFor = process.env['SOAK_ROUNDS'] !== undefined;

/** Returns the timeout for the rounds, including the start of the processes. */
export function roundsTimeoutMs(short: number, msPerRound: number): number {
  return 4 * PATIENCE.timeout + rounds(short) * msPerRound;
}

/**
 * Returns the seed of a soak test, a new one each time; it is printed, so that `SOAK_SEED` can reproduce a run.
 */
export function seed(): number {
  const value = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`SOAK_SEED=${String(value)}`);
  return value;
}

/**
 * Waits for the time under load before a kill. The few rounds of the short form also wait until something was
 * acknowledged, because a kill before the first response checks nothing. Ends early if `writing` ends, since a writer
 * that gets a wrong response ends the test.
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
