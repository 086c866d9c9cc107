import type { CheckResult } from '../schemas/result.ts';

/** A result that stays stale is told again after this many seconds, as the peer's sweep does (completion 1.14). */
export const STALE_REPEAT_SECONDS = 30;

/** Seconds after which a result is stale; 0: never. */
export function ttlOf(check: CheckResult | undefined): number {
  const ttl = check?.['ttl'];
  return typeof ttl === 'number' && ttl > 0 ? ttl : 0;
}

/**
 * What a stale result becomes (completion 1.14; texts: legacy-peer, Keepalive and TTL). `executed` stays that of the last
 * real result, so the age in the output grows. A resolve on request does not end the watch, and must not be repeated.
 *
 * @param client whose result it is, and who says so
 * @param now epoch seconds
 */
export function staleResult(check: CheckResult, client: string, now: number): CheckResult {
  const stale: Record<string, unknown> = {
    ...check,
    output: `Last check execution was ${String(now - check.executed)} seconds ago`,
    status: Number.isInteger(check['ttl_status']) ? check['ttl_status'] : 1,
    interval: STALE_REPEAT_SECONDS,
    ...(typeof check['source'] === 'string' ? { origin: client } : {}),
  };
  delete stale['force_resolve'];
  delete stale['total_state_change'];
  delete stale['event_metadata'];
  return stale as unknown as CheckResult;
}
