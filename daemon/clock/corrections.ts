/** The adopted corrections of the clock, oldest first. */
export interface Corrections {
  /** The seconds of each correction: positive is forward, negative is back. */
  readonly seconds: readonly number[];
  /** The number of corrections that were merged into the first entry. */
  readonly merged: number;
}

export const NO_CORRECTIONS: Corrections = { seconds: [], merged: 0 };

/** The maximum number of separate corrections: more than an operator needs, and the list is rewritten often. */
const KEPT_MAX = 100;

export function withCorrection({ seconds, merged }: Corrections, by: number): Corrections {
  const all = [...seconds, by];
  const [first = 0, second = 0, ...others] = all;
  return all.length > KEPT_MAX
    ? { seconds: [first + second, ...others], merged: merged + 1 }
    : { seconds: all, merged };
}

/**
 * Returns the number of corrections so far. A time that must stay correct after the next correction is stored with it.
 */
export function eraOf({ seconds, merged }: Corrections): number {
  return merged + seconds.length;
}

/** Returns the seconds to add to a time of this era, in epoch seconds, to convert it to the current scale. */
export function secondsSince({ seconds, merged }: Corrections, era: number): number {
  return sum(seconds.slice(Math.max(0, era - merged)));
}

/** Returns the milliseconds from the uncorrected scale to the current one. */
export function offsetOf({ seconds }: Corrections): number {
  return sum(seconds) * 1000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
