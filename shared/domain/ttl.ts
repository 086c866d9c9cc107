import type { CheckResult, HeldResult } from '../schemas/result.ts';
import { isOfNewerShape } from './event.ts';
import { KEEPALIVE_CHECK } from './keepalive.ts';
import { isSettings } from './merge-settings.ts';

/** A result that stays stale is told again after this many seconds, as the peer's sweep does (completion 1.14). */
const STALE_REPEAT_SECONDS = 30;

/** Seconds after which a result is stale; 0: never, as keepalives, whose age is looked at by itself. */
export function ttlOf(check: HeldResult | undefined): number {
  if (check?.name === KEEPALIVE_CHECK) return 0;
  const ttl = check?.['ttl'];
  return typeof ttl === 'number' && ttl > 0 ? ttl : 0;
}

/** Seconds after which a result that stays stale is told again: one of the newer shape after its ttl, as that peer does. */
export function staleRepeatOf(check: HeldResult): number {
  return isOfNewerShape(check) ? ttlOf(check) : STALE_REPEAT_SECONDS;
}

/** Whether a result that goes stale is over with that, instead of a problem: an alert that is not sent any more (prometheus 1.5). */
export function isOverWhenStale(check: HeldResult): boolean {
  return check['ttl_resolves'] === true;
}

/**
 * What a stale result becomes (completion 1.14; texts: legacy-peer, Keepalive and TTL). `executed` stays that of the last
 * real result, so the age in the output grows. A resolve on request does not end the watch, and must not be repeated.
 *
 * @param client whose result it is, and who says so
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

/** Whether the output of a result is that of `staleResult`, and not one that a check has made. */
export function hasStaleOutput({ output }: CheckResult): boolean {
  return /^Last check execution was \d+ seconds ago$/.test(output);
}

/** A result whose age no longer matters. */
export function withoutTtl(check: CheckResult): CheckResult {
  const { ttl: _ttl, ttl_status: _status, ttl_resolves: _resolves, ...rest } = check;
  return rest;
}

/** The result that ends a stale one whose definition is gone: no other result would end it. */
export function retiredResult(check: CheckResult, client: string): CheckResult {
  const { resolve_after: _after, total_state_change: _change, ...rest } = withoutTtl(check);
  const output = `The definition of ${check.name} no longer has a ttl: its results are no longer expected`;
  const origin = typeof check['source'] === 'string' ? { origin: client } : {};
  return { ...(rest as unknown as CheckResult), output, status: 0, ...origin, force_resolve: true };
}

/** A result that is well, and for whose next one nobody waits any more. */
function endedResult(check: CheckResult, client: string, now: number): CheckResult {
  const { ttl: _ttl, ttl_resolves: _resolves, force_resolve: _force, total_state_change: _change, ...others } = check;
  // Nobody will say once more that it is well.
  const { resolve_after: _after, ...rest } = others;
  const output = `Not reported any more for ${String(now - check.executed)} seconds`;
  return { ...(rest as unknown as CheckResult), output, status: 0, origin: client };
}

/** The event is that of whoever sent the last one, but it is the backend that says this of the check. */
function staleParts(check: CheckResult, now: number): Pick<CheckResult, 'metadata' | 'event_metadata'> {
  const { created_by: creator, ...metadata } = isSettings(check['metadata']) ? check['metadata'] : {};
  const whole = isSettings(check['event_metadata']) ? check['event_metadata'] : {};
  return {
    metadata,
    event_metadata: { ...whole, ...(creator === undefined ? {} : { created_by: creator }), timestamp: now },
  };
}
