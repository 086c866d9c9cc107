import type { HoldRequest, ReleaseRequest } from '../schemas/maintenance.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { endAfter } from './expiry.ts';
import { silencedEntry, targetId } from './silencing.ts';

/** The outcome of a maintenance request: a command holds a silence while it runs (spec, maintenance 1). */
export type Hold =
  /** The silence begins. */
  | { readonly kind: 'begin'; readonly entry: SilencedEntry }
  /** The silence is extended. */
  | { readonly kind: 'renew'; readonly entry: SilencedEntry }
  /** Another silence exists on the same target, from before or as a replacement. */
  | { readonly kind: 'taken'; readonly by: SilencedEntry }
  /** The silence was cleared by somebody. */
  | { readonly kind: 'gone' };

/** @param before the active silence on the same subscription and check */
export function nextHold(before: SilencedEntry | undefined, request: HoldRequest, nowMs: number): Hold {
  if (before !== undefined && before.run !== request.run) return { kind: 'taken', by: before };
  const { subscription, check, selector, reason, creator, run, seconds } = request;
  if (before !== undefined) return { kind: 'renew', entry: { ...before, expireAtMs: endAfter(seconds, nowMs) } };
  if (request.renews === true) return { kind: 'gone' };
  const entry = silencedEntry({ subscription, check, selector, reason, creator, expire: seconds }, nowMs);
  return { kind: 'begin', entry: { ...entry, run } };
}

/** Whether a run may end a silence. A replacement by somebody else stays. */
export function mayRelease(entry: SilencedEntry, { run }: Pick<ReleaseRequest, 'run'>): boolean {
  return entry.run === run;
}

/**
 * Returns the error message for a silence that exists already: `client:web-1:* is already silenced, by alice: CHG-1`.
 */
export function takenText({ id, creator, reason, run }: SilencedEntry): string {
  const by = creator === null ? '' : `, by ${creator}`;
  const why = reason === null ? '' : `: ${reason}`;
  const what = run === undefined ? 'clear it' : 'wait for the run that owns it (a minute, if that run was killed)';
  return `${id} is already silenced${by}${why}: ${what}, or name another check`;
}

/** Returns the id of the silence that a request addresses. */
export function commandSilenceId(request: Omit<ReleaseRequest, 'run'>): string {
  return targetId(request);
}
