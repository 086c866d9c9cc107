import { HISTORY_LENGTH, statusBack, type History } from './history.ts';

/**
 * How much a check changes, in percent, 0 to 101 (completion 1.5): the change into the second oldest of 21 statuses
 * weighs 0.82, each newer one 0.02 more, the newest 1.20. Below 21 entries it is 0.
 */
export function totalStateChange(history: History): number {
  if (history.length < HISTORY_LENGTH || isSteady(history)) return 0;
  let changes = 0;
  // Grown step by step: the multiples of 0.02 round differently, and the peer's sums would not be met.
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
 * The same of a check that is reported in the newer shape, 0 to 98, as that peer counts: over the 21 statuses that it shows,
 * to which the very first does not belong, in numbers of half the precision, and the oldest change weighs 0.80.
 *
 * @param statuses oldest first, as they are shown
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

/** 21 times the same status: the usual case, seen without walking. */
function isSteady({ recent, older, wide }: History): boolean {
  return wide === undefined && recent === (recent & 3) * ELEVEN_EQUAL && (older & TEN) === (recent & 3) * TEN_EQUAL;
}

/**
 * Whether a check is flapping now. It starts at `high` and goes on while it stays above `low` (completion 1.5).
 *
 * @param thresholds anything but two integers switches detection off
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
