import { HISTORY_LENGTH, statusBack, type History } from './history.ts';

/**
 * Returns the total state change of a check in percent, 0 to 101 (completion 1.5). Of 21 statuses, the change into the
 * second oldest weighs 0.82, each newer one 0.02 more, and the newest 1.20. With fewer than 21 entries it is 0.
 */
export function totalStateChange(history: History): number {
  if (history.length < HISTORY_LENGTH || isSteady(history)) return 0;
  let changes = 0;
  // Adds 0.02 step by step, because multiples of 0.02 round differently and would not match the peer's sums.
  let weight = 0.8;
  let previous = statusBack(history, HISTORY_LENGTH - 1);
  for (let age = HISTORY_LENGTH - 1; age >= 0; age--) {
    const status = statusBack(history, age);
    if (status !== previous) changes += weight;
    weight += 0.02;
    previous = status;
  }
  return Math.trunc((changes / 20) * 100);
}

/**
 * Returns the total state change of a check in the v2 format, 0 to 98, as Sensu Go computes it. It covers the 21
 * statuses that are shown, which exclude the very first one. It uses single precision, and the oldest change weighs
 * 0.80.
 *
 * @param statuses as shown, oldest first
 */
export function v2StateChange(statuses: readonly number[]): number {
  if (statuses.length < HISTORY_LENGTH) return 0;
  let changes = 0;
  let weight = 0.8;
  for (let at = 1; at < statuses.length; at++) {
    if (statuses[at] !== statuses[at - 1]) changes += weight;
    weight += 0.02;
  }
  return Math.trunc(Math.fround(Math.fround(Math.fround(changes) / 20) * 100));
}

const ELEVEN_EQUAL = 0b01_01_01_01_01_01_01_01_01_01_01;
const TEN_EQUAL = 0b01_01_01_01_01_01_01_01_01_01;
const TEN = 3 * TEN_EQUAL;

/** Whether all 21 statuses are equal. Detects the usual case without a loop. */
function isSteady({ recent, older, wide }: History): boolean {
  return wide === undefined && recent === (recent & 3) * ELEVEN_EQUAL && (older & TEN) === (recent & 3) * TEN_EQUAL;
}

/**
 * Whether a check is flapping now. Flapping starts at `high` and continues while the change stays above `low`
 * (completion 1.5).
 *
 * @param thresholds flap detection is off unless both are integers
 */
export function isFlapping(
  wasFlapping: boolean,
  change: number,
  thresholds: { readonly low: unknown; readonly high: unknown },
): boolean {
  const { low, high } = thresholds;
  if (!Number.isInteger(low) || !Number.isInteger(high)) return false;
  return wasFlapping ? change > (low as number) : change >= (high as number);
}
