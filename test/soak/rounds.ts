import { PATIENCE } from '../support/patience.ts';

/** How long a soak test goes on: `npm run soak -- NAME --rounds N` sets it, the suite runs a short form. */
export function rounds(short: number): number {
  return Number(process.env['SOAK_ROUNDS'] ?? short);
}

/** Whether the long form was asked for: then what this machine has not got is a failure. */
export const isAskedFor = process.env['SOAK_ROUNDS'] !== undefined;

/** Time for so many rounds, with the start of the processes. */
export function roundsTimeoutMs(short: number, msPerRound: number): number {
  return 4 * PATIENCE.timeout + rounds(short) * msPerRound;
}

/** For the chance of a soak test, another one each time; printed, so that `SOAK_SEED` can bring a run back. */
export function seed(): number {
  const value = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`SOAK_SEED=${String(value)}`);
  return value;
}
