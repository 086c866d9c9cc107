import type { HoldRequest, ReleaseRequest } from '../schemas/maintenance.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { endAfter } from './expiry.ts';
import { silencedEntry, targetId } from './silencing.ts';

/** What becomes of a silence that a command holds while it runs (spec, maintenance 1). */
export type Hold =
  /** It begins. */
  | { readonly kind: 'begin'; readonly entry: SilencedEntry }
  /** It lasts longer. */
  | { readonly kind: 'renew'; readonly entry: SilencedEntry }
  /** Somebody else has made one in its place, or had before. */
  | { readonly kind: 'taken'; readonly by: SilencedEntry }
  /** Somebody has cleared it. */
  | { readonly kind: 'gone' };

/** @param before the living entry on the same subscription and check */
export function nextHold(before: SilencedEntry | undefined, request: HoldRequest, nowMs: number): Hold {
  if (before !== undefined && before.run !== request.run) return { kind: 'taken', by: before };
  const { subscription, check, selector, reason, creator, run, seconds } = request;
  if (before !== undefined) return { kind: 'renew', entry: { ...before, expireAtMs: endAfter(seconds, nowMs) } };
  if (request.renews === true) return { kind: 'gone' };
  const entry = silencedEntry({ subscription, check, selector, reason, creator, expire: seconds }, nowMs);
  return { kind: 'begin', entry: { ...entry, run } };
}

/** Whether a run may end a silence: what others have made in its place stays. */
export function mayRelease(entry: SilencedEntry, { run }: Pick<ReleaseRequest, 'run'>): boolean {
  return entry.run === run;
}

/** For who finds it there: `client:web-1:* is silenced already, by alice: CHG-1`. */
export function takenText({ id, creator, reason, run }: SilencedEntry): string {
  const by = creator === null ? '' : `, by ${creator}`;
  const why = reason === null ? '' : `: ${reason}`;
  const what = run === undefined ? 'clear it' : 'wait for the run that holds it (a minute, where that was killed)';
  return `${id} is silenced already${by}${why}: ${what}, or name another check`;
}

/** The id of what a request is about. */
export function heldId(request: Omit<ReleaseRequest, 'run'>): string {
  return targetId(request);
}
