/**
 * Returns the median, the p99 (nearest rank, so the slowest of fewer than 100 times) and the slowest time in
 * milliseconds; 0 if there are no times.
 */
export function spreadOf(timesMs: readonly number[]): Record<'median' | 'p99' | 'slowest', number> {
  const inOrder = timesMs.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(inOrder[Math.ceil(share * inOrder.length) - 1] ?? 0);
  return { median: at(0.5), p99: at(0.99), slowest: at(1) };
}

export function shownTimes({ median, p99, slowest }: ReturnType<typeof spreadOf>): string {
  return `median ${String(median)} ms, p99 ${String(p99)} ms, slowest ${String(slowest)} ms`;
}
