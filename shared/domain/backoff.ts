export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Returns the delay before a retry. Its upper bound doubles with each attempt up to `maxMs`. Jitter spreads the delays
 * over the whole range, so that a thousand peers do not reconnect to a restarted backend at once.
 *
 * @param attempt 1 for the first retry
 * @param random random number from 0 to below 1, uniformly distributed
 */
export function backoffMs(attempt: number, random: number, { minMs, maxMs }: BackoffLimits): number {
  const highestMs = Math.min(maxMs, minMs * 2 ** Math.max(1, attempt));
  return Math.round(minMs + random * (highestMs - minMs));
}
