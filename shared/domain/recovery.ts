import { formatDuration, parseDuration } from './duration.ts';
import type { Recovery } from '../schemas/recovery.ts';

/** The attributes of an OK result that decide about recovery. */
interface RecoveringResult {
  readonly executed: number;
  readonly auto_resolve?: unknown;
  readonly resolve_after?: unknown;
}

/**
 * Parses the condition for an event to resolve by itself (spec, recovery 1).
 *
 * @param value `resolve_after` as written: a number of results, or a duration such as `5m`
 * @returns undefined if there is no condition
 */
export function resolveAfterOf(value: unknown): Recovery['after'] | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  // Plain seconds could be mistaken for a number of results.
  if (typeof value !== 'string' || /^\d*$/.test(value)) return undefined;
  const seconds = parseDuration(value);
  return seconds === undefined || seconds === 0 ? undefined : value;
}

/**
 * Returns the recovery of an event after one more OK. Time is measured between runs by `executed`, so that results
 * spooled while an agent was offline count for their own time. It never goes backward with the clock of a host.
 *
 * @param before recovery after the previous OK; undefined: this is the first
 * @returns undefined if the check has no recovery condition
 */
export function nextRecovery(before: Recovery | undefined, result: RecoveringResult): Recovery | undefined {
  if (result.resolve_after === undefined || result.auto_resolve === false) return undefined;
  const after = resolveAfterOf(result.resolve_after);
  if (after === undefined) return undefined;
  return {
    results: (before?.results ?? 0) + 1,
    since: Math.min(before?.since ?? result.executed, result.executed),
    last: result.executed,
    after,
  };
}

/** Whether the recovery is complete. */
export function isRecovered({ results, since, last, after }: Recovery): boolean {
  return typeof after === 'number' ? results >= after : last - since >= (parseDuration(after) ?? 0);
}

/** Formats the progress of a recovery: `1 of 3 OK`, `OK for 40s of 5m`. */
export function recoveryWords({ results, since, last, after }: Recovery): string {
  if (typeof after === 'number') return `${String(results)} of ${String(after)} OK`;
  return `OK for ${formatDuration(last - since)} of ${after}`;
}
