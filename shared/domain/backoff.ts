export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Returns a random delay before a retry, in milliseconds, between `minMs` and an upper bound. The bound doubles with
 * each attempt up to `maxMs`. The random spread keeps many agents from reconnecting to a restarted backend at once.
 *
 * @param attempt 1 for the first retry
 * @param random random number from 0 to below 1, uniformly distributed
 */
export function backoffMs(attempt: number, random: number, { minMs, maxMs }: BackoffLimits): number {
  const highestMs = Math.min(maxMs, minMs * 2 ** Math.max(1, attempt));
  return Math.round(minMs + random * (highestMs - minMs));
}
