import type { CheckResult, CachedResult } from '../schemas/result.ts';
import { isV2Result } from './event.ts';
import { KEEPALIVE_CHECK } from './keepalive.ts';
import { isSettings } from './merge-settings.ts';

/** Seconds after which a result beyond its TTL is reported again, as in Sensu Core (completion 1.14). */
const STALE_REPEAT_SECONDS = 30;

/**
 * Returns the TTL of a result in seconds; 0 if it has none, and for keepalives, because their age is checked elsewhere.
 */
export function ttlOf(check: CachedResult | undefined): number {
  if (check?.name === KEEPALIVE_CHECK) return 0;
  const ttl = check?.['ttl'];
  return typeof ttl === 'number' && ttl > 0 ? ttl : 0;
}

/**
 * Returns the seconds after which a stale result (one beyond its TTL) is reported again. For a result in the v2 format
 * this is its TTL, as in Sensu Go.
 */
export function staleRepeatOf(check: CachedResult): number {
  return isV2Result(check) ? ttlOf(check) : STALE_REPEAT_SECONDS;
}

/**
 * Whether the end of a result's TTL resolves its event instead of opening one. That is so for a Prometheus alert, which
 * resolves if it is no longer sent (prometheus 1.5).
 */
export function resolvesWhenStale(check: CachedResult): boolean {
  return check['ttl_resolves'] === true;
}

/**
 * Returns the result that reports that the TTL of a result has passed (completion 1.14; texts: legacy-peer, Keepalive
 * and TTL). `executed` remains that of the last real result, so that the age in the output grows. `force_resolve` is
 * removed, so that an event opens again even after an operator resolved it.
 *
 * @param client name of the client to which the result belongs; it becomes the `origin` if the result has a `source`
 * @param now epoch seconds
 */
export function staleResult(check: CheckResult, client: string, now: number): CheckResult {
  if (resolvesWhenStale(check)) return endedResult(check, client, now);
  const stale: Record<string, unknown> = {
    ...check,
    output: `Last check execution was ${String(now - check.executed)} seconds ago`,
    status: Number.isInteger(check['ttl_status']) ? check['ttl_status'] : 1,
    ...(isV2Result(check) ? staleMetadata(check, now) : { interval: STALE_REPEAT_SECONDS }),
    ...(typeof check['source'] === 'string' ? { origin: client } : {}),
  };
  delete stale['force_resolve'];
  delete stale['total_state_change'];
  return stale as unknown as CheckResult;
}

/** Whether the output of a result comes from `staleResult` and not from the check itself. */
export function hasStaleOutput({ output }: CheckResult): boolean {
  return /^Last check execution was \d+ seconds ago$/.test(output);
}

/** Returns a result without the attributes of its TTL. */
export function removeTtl(check: CheckResult): CheckResult {
  const { ttl: _ttl, ttl_status: _status, ttl_resolves: _resolves, ...attributes } = check;
  return attributes;
}

/**
 * Returns the result that resolves the event of a stale result after the TTL was removed from its check definition.
 * Perhaps no other result would ever resolve it.
 */
export function ttlRemovedResult(check: CheckResult, client: string): CheckResult {
  const { resolve_after: _after, total_state_change: _change, ...attributes } = removeTtl(check);
  const output = `The definition of ${check.name} no longer has a ttl: its results are no longer expected`;
  const origin = typeof check['source'] === 'string' ? { origin: client } : {};
  return { ...(attributes as unknown as CheckResult), output, status: 0, ...origin, force_resolve: true };
}

/** Returns the OK result without a TTL that resolves a Prometheus alert which is no longer sent. */
function endedResult(check: CheckResult, client: string, now: number): CheckResult {
  const { ttl: _ttl, ttl_resolves: _resolves, force_resolve: _force, total_state_change: _change, ...others } = check;
  // No further OK result will arrive, so the event must not wait for `resolve_after`.
  const { resolve_after: _after, ...attributes } = others;
  const output = `Not reported any more for ${String(now - check.executed)} seconds`;
  return { ...(attributes as unknown as CheckResult), output, status: 0, origin: client };
}

/**
 * Returns the metadata for reporting a stale result in the v2 format. The check has no creator, because the backend
 * reports the result. The event keeps its creator and gets the current time.
 */
function staleMetadata(check: CheckResult, now: number): Pick<CheckResult, 'metadata' | 'event_metadata'> {
  const { created_by: creator, ...metadata } = isSettings(check['metadata']) ? check['metadata'] : {};
  const eventMetadata = isSettings(check['event_metadata']) ? check['event_metadata'] : {};
  return {
    metadata,
    event_metadata: { ...eventMetadata, ...(creator === undefined ? {} : { created_by: creator }), timestamp: now },
  };
}
