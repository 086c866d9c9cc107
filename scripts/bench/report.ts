/** One line of a bench: what, the figure, and what it is measured against. */
export function report(what: string, figure: string, remark = ''): void {
  console.log(`${what.padEnd(66)} ${figure.padStart(14)}${remark === '' ? '' : `   (${remark})`}`);
}

export function count(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param share 0.99 for the value that 99 of 100 do not exceed */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
