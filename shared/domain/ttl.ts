import type { CheckResult, CachedResult } from '../schemas/result.ts';
import { isOfNewerShape } from './event.ts';
import { KEEPALIVE_CHECK } from './keepalive.ts';
import { isSettings } from './merge-settings.ts';

/** A result that stays stale is reported again after this many seconds, like in the peer's sweep (completion 1.14). */
const STALE_REPEAT_SECONDS = 30;

/** Returns the TTL of a result in seconds; 0: none, as for keepalives, whose age is checked separately. */
export function ttlOf(check: CachedResult | undefined): number {
  if (check?.name === KEEPALIVE_CHECK) return 0;
  const ttl = check?.['ttl'];
  return typeof ttl === 'number' && ttl > 0 ? ttl : 0;
}

/**
 * Returns the seconds after which a stale result is reported again. In the v2 format this is its TTL, as in Sensu Go.
 */
export function staleRepeatOf(check: CachedResult): number {
  return isOfNewerShape(check) ? ttlOf(check) : STALE_REPEAT_SECONDS;
}

/**
 * Whether a result resolves when it becomes stale, instead of becoming a problem: an alert that is no longer sent
 * (prometheus 1.5).
 */
export function isOverWhenStale(check: CachedResult): boolean {
  return check['ttl_resolves'] === true;
}

/**
 * Returns the stale form of a result (completion 1.14; texts: legacy-peer, Keepalive and TTL). `executed` stays that of
 * the last real result, so that the age in the output grows. A resolution on request does not stop the TTL, so
 * `force_resolve` must not be repeated.
 *
 * @param client that the result belongs to, and its origin
 * @param now epoch seconds
 */
export function staleResult(check: CheckResult, client: string, now: number): CheckResult {
  if (isOverWhenStale(check)) return endedResult(check, client, now);
  const stale: Record<string, unknown> = {
    ...check,
    output: `Last check execution was ${String(now - check.executed)} seconds ago`,
    status: Number.isInteger(check['ttl_status']) ? check['ttl_status'] : 1,
    ...(isOfNewerShape(check) ? staleParts(check, now) : { interval: STALE_REPEAT_SECONDS }),
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

/** Removes the TTL of a result. */
export function withoutTtl(check: CheckResult): CheckResult {
  const { ttl: _ttl, ttl_status: _status, ttl_resolves: _resolves, ...attributes } = check;
  return attributes;
}

/** Returns the result that resolves a stale check whose definition was removed, since no other result would. */
export function retiredResult(check: CheckResult, client: string): CheckResult {
  const { resolve_after: _after, total_state_change: _change, ...attributes } = withoutTtl(check);
  const output = `The definition of ${check.name} no longer has a ttl: its results are no longer expected`;
  const origin = typeof check['source'] === 'string' ? { origin: client } : {};
  return { ...(attributes as unknown as CheckResult), output, status: 0, ...origin, force_resolve: true };
}

/** Returns an OK result for an alert that is no longer sent, without a TTL. */
function endedResult(check: CheckResult, client: string, now: number): CheckResult {
  const { ttl: _ttl, ttl_resolves: _resolves, force_resolve: _force, total_state_change: _change, ...others } = check;
  // No further OK result will arrive, so the event must not wait for recovery.
  const { resolve_after: _after, ...attributes } = others;
  const output = `Not reported any more for ${String(now - check.executed)} seconds`;
  return { ...(attributes as unknown as CheckResult), output, status: 0, origin: client };
}

/**
 * Sets the creation time and removes the creator of the check: the backend, not the sender, reports the stale result.
 * The event keeps its creator.
 */
function staleParts(check: CheckResult, now: number): Pick<CheckResult, 'metadata' | 'event_metadata'> {
  const { created_by: creator, ...metadata } = isSettings(check['metadata']) ? check['metadata'] : {};
  const eventMetadata = isSettings(check['event_metadata']) ? check['event_metadata'] : {};
  return {
    metadata,
    event_metadata: { ...eventMetadata, ...(creator === undefined ? {} : { created_by: creator }), timestamp: now },
  };
}
