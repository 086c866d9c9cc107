import { HISTORY_LENGTH, statusAtAge, type History } from './history.ts';

/**
 * Returns the total state change of a check in percent, 0 to 101 (completion 1.5). Newer changes of status weigh more:
 * from 0.82 for the oldest possible change among 21 statuses, in steps of 0.02, to 1.20 for the newest. With fewer than
 * 21 statuses the result is 0.
 */
export function totalStateChange(history: History): number {
  if (history.length < HISTORY_LENGTH || hasOnlyEqualStatuses(history)) return 0;
  let changes = 0;
  // 0.02 is added step by step as in Sensu Core, because multiples of 0.02 would be rounded differently.
  let weight = 0.8;
  let previous = statusAtAge(history, HISTORY_LENGTH - 1);
  for (let age = HISTORY_LENGTH - 1; age >= 0; age--) {
    const status = statusAtAge(history, age);
    if (status !== previous) changes += weight;
    weight += 0.02;
    previous = status;
  }
  return Math.trunc((changes / 20) * 100);
}

/**
 * Returns the total state change of a v2 check in percent, 0 to 98, as Sensu Go computes it. The very first status of
 * the check is not evaluated. The oldest change weighs 0.80, and the sum is rounded to single precision.
 *
 * @param statuses result of `statusesWithoutFirst`, oldest first
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
const TEN_STATUSES_MASK = 3 * TEN_EQUAL;

/** Whether all 21 statuses are equal, if they are stored as bits. This usual case needs no loop. */
function hasOnlyEqualStatuses({ recent, older, wide }: History): boolean {
  return (
    wide === undefined &&
    recent === (recent & 3) * ELEVEN_EQUAL &&
    (older & TEN_STATUSES_MASK) === (recent & 3) * TEN_EQUAL
  );
}

/**
 * Whether a check is flapping after a result. Flapping starts when the total state change reaches `high`, and continues
 * while it stays above `low` (completion 1.5).
 *
 * @param change total state change in percent
 * @param thresholds in percent; flap detection is off unless both are integers
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
