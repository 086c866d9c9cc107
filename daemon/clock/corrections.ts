/** The times at which the clock was set right, the oldest first. */
export interface Corrections {
  /** By how many seconds: forward, negative: back. */
  readonly seconds: readonly number[];
  /** How many of them are one by now, the first. */
  readonly merged: number;
}

export const NO_CORRECTIONS: Corrections = { seconds: [], merged: 0 };

/** More than anybody who looks after the clock needs; it is written again and again. */
const KEPT_MAX = 100;

export function withCorrection({ seconds, merged }: Corrections, by: number): Corrections {
  const all = [...seconds, by];
  const [first = 0, second = 0, ...others] = all;
  return all.length > KEPT_MAX
    ? { seconds: [first + second, ...others], merged: merged + 1 }
    : { seconds: all, merged };
}

/** Counts the corrections; a time is told with its era where it must be read rightly after the next one. */
export function eraOf({ seconds, merged }: Corrections): number {
  return merged + seconds.length;
}

/** By how many seconds a time of this era, epoch seconds, has to be moved to be one of today. */
export function secondsSince({ seconds, merged }: Corrections, era: number): number {
  return sum(seconds.slice(Math.max(0, era - merged)));
}

/** Milliseconds from the scale that was never corrected to that of today. */
export function offsetOf({ seconds }: Corrections): number {
  return sum(seconds) * 1000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
