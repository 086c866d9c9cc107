/** The corrections of the program's own time that were adopted after the system clock was set, oldest first. */
export interface Corrections {
  /** Size of each correction in seconds; positive is forward, negative is back. */
  readonly seconds: readonly number[];
  /** Number of later corrections that were added to the first entry of `seconds`, to keep the list short. */
  readonly merged: number;
}

export const NO_CORRECTIONS: Corrections = { seconds: [], merged: 0 };

/** Maximum number of corrections in the list. An operator needs fewer, and the list is stored often. */
const CORRECTIONS_MAX = 100;

export function withCorrection({ seconds, merged }: Corrections, by: number): Corrections {
  const all = [...seconds, by];
  const [first = 0, second = 0, ...others] = all;
  return all.length > CORRECTIONS_MAX
    ? { seconds: [first + second, ...others], merged: merged + 1 }
    : { seconds: all, merged };
}

/**
 * Returns the era, which is the number of corrections so far. A time that must stay correct after a later correction is
 * stored together with its era.
 */
export function correctionCount({ seconds, merged }: Corrections): number {
  return merged + seconds.length;
}

/** Returns the seconds to add to a time that was stored after `era` corrections, to include all later corrections. */
export function correctionSecondsSince({ seconds, merged }: Corrections, era: number): number {
  return sumOf(seconds.slice(Math.max(0, era - merged)));
}

/** Returns the sum of all corrections, which is the difference from uncorrected to corrected time, in milliseconds. */
export function totalCorrectionMs({ seconds }: Corrections): number {
  return sumOf(seconds) * 1000;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
