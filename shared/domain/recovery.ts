import { formatDuration } from './duration.ts';
import { parseDuration } from '../schemas/parse-duration.ts';
import type { Recovery } from '../schemas/recovery.ts';

/** The attributes of an OK result that decide whether an event resolves by `resolve_after`. */
interface RecoveringResult {
  readonly executed: number;
  readonly auto_resolve?: unknown;
  readonly resolve_after?: unknown;
}

/**
 * Validates `resolve_after`: how many OK results, or how long OK, an event needs to resolve (spec, recovery 1).
 *
 * @param value `resolve_after` as written: a number of OK results, or a duration such as `5m`
 * @returns the value; undefined if it is absent or invalid
 */
export function resolveAfterOf(value: unknown): Recovery['after'] | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  // A text of digits is invalid: it could mean seconds or a number of results.
  if (typeof value !== 'string' || /^\d*$/.test(value)) return undefined;
  const seconds = parseDuration(value);
  return seconds === undefined || seconds === 0 ? undefined : value;
}

/**
 * Returns the recovery of an event (its progress toward `resolve_after`) after one more OK result. The time that the
 * check is OK is measured by the `executed` of the results, because spooled results of an offline agent arrive late.
 * That time is never negative, even if the clock of the host is set back.
 *
 * @param before recovery after the previous OK result; undefined if this is the first OK result
 * @returns undefined if the check has no valid `resolve_after`, or has `auto_resolve: false`
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

/** Whether the condition `resolve_after` is met, so that the event resolves. */
export function isRecovered({ results, since, last, after }: Recovery): boolean {
  return typeof after === 'number' ? results >= after : last - since >= (parseDuration(after) ?? 0);
}

/** Formats the progress of a recovery: `1 of 3 OK`, `OK for 40s of 5m`. */
export function recoveryWords({ results, since, last, after }: Recovery): string {
  if (typeof after === 'number') return `${String(results)} of ${String(after)} OK`;
  return `OK for ${formatDuration(last - since)} of ${after}`;
}
