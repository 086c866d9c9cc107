import { performance } from 'node:perf_hooks';

/**
 * A figure of a benchmark: one value, or several values in the same unit, such as quantiles or measurements at several
 * times, in the order that `what` names.
 */
export interface Figure {
  readonly what: string;
  readonly values: readonly number[];
  readonly unit: string;
}

const recordedFigures: Figure[] = [];

/**
 * Reports a figure on one line and records it for the result file.
 *
 * @param remark the goal, and everything else that is not a comparable figure
 */
export function reportFigure(what: string, values: number | readonly number[], unit: string, remark = ''): void {
  const figure = { what, values: [values].flat(), unit };
  recordedFigures.push(figure);
  console.log(`${what.padEnd(66)} ${figureText(figure).padStart(14)}${remark === '' ? '' : `   (${remark})`}`);
}

/** Returns all figures that have been reported so far. */
export function reportedFigures(): readonly Figure[] {
  return recordedFigures;
}

/**
 * Formats the values and the unit of a figure.
 *
 * @param values the values; null, as JSON stores NaN, means that a value was not measured
 */
export function figureText({ values, unit }: { values: readonly (number | null)[]; unit: string }): string {
  return `${values.map((value) => formatNumber(value ?? NaN)).join(' / ')} ${unit}`.trimEnd();
}

export function formatNumber(value: number): string {
  const maximumFractionDigits = value >= 1000 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits });
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns a quantile of the values.
 *
 * @param share 0.99 for the value that 99 of 100 values do not exceed
 */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Makes calls one after the other, and returns the duration of each in milliseconds. */
export async function timesOf(calls: number, act: (at: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < calls; at++) {
    const startedAt = performance.now();
    await act(at);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/**
 * Reports the means of the rounds with a change in the load, compared with the rounds without it.
 *
 * @returns the mean of the rounds without the change
 */
export function reportDifference<Round>(
  what: string,
  unit: string,
  { without, affected }: { readonly without: readonly Round[]; readonly affected: readonly Round[] },
  figure: (round: Round) => number,
  goal: string,
): number {
  const [before, after] = [meanOf(without.map(figure)), meanOf(affected.map(figure))];
  reportFigure(
    what,
    after,
    unit,
    `${((after / before - 1) * 100).toFixed(1)} %, without ${formatNumber(before)}; goal ${goal}`,
  );
  return before;
}
