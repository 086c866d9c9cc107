import type { HoldRequest, ReleaseRequest } from '../schemas/maintenance.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { expireAtMsOf } from './expiry.ts';
import { silencedEntry, targetId } from './silencing.ts';

/** The outcome of a request for a maintenance silence, which lasts while a command runs (spec, maintenance 1). */
export type MaintenanceOutcome =
  /** A new silence is created. */
  | { readonly kind: 'begin'; readonly entry: SilencedEntry }
  /** The existing silence of this run is extended. */
  | { readonly kind: 'renew'; readonly entry: SilencedEntry }
  /** Another silence has the same target and belongs to no run of a command or to another one. */
  | { readonly kind: 'taken'; readonly by: SilencedEntry }
  /** The silence that should be extended was cleared or has expired. */
  | { readonly kind: 'gone' };

/**
 * Returns the outcome of a request for a maintenance silence.
 *
 * @param before the unexpired silence with the same target; undefined if there is none
 */
export function maintenanceOutcome(
  before: SilencedEntry | undefined,
  request: HoldRequest,
  nowMs: number,
): MaintenanceOutcome {
  if (before !== undefined && before.run !== request.run) return { kind: 'taken', by: before };
  const { subscription, check, selector, reason, creator, run, seconds } = request;
  if (before !== undefined) return { kind: 'renew', entry: { ...before, expireAtMs: expireAtMsOf(seconds, nowMs) } };
  if (request.renews === true) return { kind: 'gone' };
  const entry = silencedEntry({ subscription, check, selector, reason, creator, expire: seconds }, nowMs);
  return { kind: 'begin', entry: { ...entry, run } };
}

/** Whether the run of a command can end a silence: only its own one, not one that somebody created with its target. */
export function mayEndSilence(entry: SilencedEntry, { run }: Pick<ReleaseRequest, 'run'>): boolean {
  return entry.run === run;
}

/**
 * Returns the error message for a target that already has a silence, such as `client:web-1:* is already silenced, by
 * alice: CHG-1: clear it, or name another check`.
 */
export function silenceConflictMessage({ id, creator, reason, run }: SilencedEntry): string {
  const by = creator === null ? '' : `, by ${creator}`;
  const why = reason === null ? '' : `: ${reason}`;
  const what = run === undefined ? 'clear it' : 'wait for the run that owns it (a minute, if that run was killed)';
  return `${id} is already silenced${by}${why}: ${what}, or name another check`;
}

/** Returns the id of the silence with the target of a request. */
export function commandSilenceId(request: Omit<ReleaseRequest, 'run'>): string {
  return targetId(request);
}
