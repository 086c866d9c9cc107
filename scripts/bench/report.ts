import { performance } from 'node:perf_hooks';

/**
 * A figure of a benchmark in one unit: a value, or several of a kind (quantiles, moments) in the order of
 * `what`.
 */
export interface Figure {
  readonly what: string;
  readonly values: readonly number[];
  readonly unit: string;
}

const figures: Figure[] = [];

/**
 * Reports a figure in one line.
 *
 * @param remark the goal, and everything that is not a comparable figure
 */
export function report(what: string, values: number | readonly number[], unit: string, remark = ''): void {
  const figure = { what, values: [values].flat(), unit };
  figures.push(figure);
  console.log(`${what.padEnd(66)} ${figureText(figure).padStart(14)}${remark === '' ? '' : `   (${remark})`}`);
}

/** Returns all figures reported so far. */
export function reported(): readonly Figure[] {
  return figures;
}

/**
 * Formats a figure.
 *
 * @param values null if not measured, as in JSON
 */
export function figureText({ values, unit }: { values: readonly (number | null)[]; unit: string }): string {
  return `${values.map((value) => count(value ?? NaN)).join(' / ')} ${unit}`.trimEnd();
}

export function count(value: number): string {
  const maximumFractionDigits = value >= 1000 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns a quantile.
 *
 * @param share 0.99 for the value that 99 of 100 do not exceed
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Returns the milliseconds of each of several sequential calls. */
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
 * Reports the means of several rounds with and without something.
 *
 * @returns the mean without it
 */
export function reportDifference<Round>(
  what: string,
  unit: string,
  { without, affected }: { readonly without: readonly Round[]; readonly affected: readonly Round[] },
  figure: (round: Round) => number,
  goal: string,
): number {
  const [before, after] = [mean(without.map(figure)), mean(affected.map(figure))];
  report(what, after, unit, `${((after / before - 1) * 100).toFixed(1)} %, without ${count(before)}; goal ${goal}`);
  return before;
}
