export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Pause before attempt number `attempt` to reach a peer that failed: the upper end doubles with each attempt up to
 * `maxMs`, and chance spreads the pauses over the whole range, so that a thousand peers of a restarted backend do not
 * come back in one second.
 *
 * @param attempt 1 for the first repetition
 * @param chance 0 to below 1, evenly spread
 */
export function backoffMs(attempt: number, chance: number, { minMs, maxMs }: BackoffLimits): number {
  const highestMs = Math.min(maxMs, minMs * 2 ** Math.max(1, attempt));
  return Math.round(minMs + chance * (highestMs - minMs));
}
