import { formatDuration, parseDuration } from './duration.ts';
import type { Recovery } from '../schemas/recovery.ts';

/** The attributes of an OK that say whether it is enough. */
interface RecoveringResult {
  readonly executed: number;
  readonly auto_resolve?: unknown;
  readonly resolve_after?: unknown;
}

/**
 * What has to come before an event resolves by itself (spec, recovery 1).
 *
 * @param value `resolve_after` as somebody wrote it: a number of results, or a duration such as `5m`
 * @returns undefined: it asks for nothing
 */
export function resolveAfterOf(value: unknown): Recovery['after'] | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  // Plain seconds would be mistaken for results.
  if (typeof value !== 'string' || /^\d*$/.test(value)) return undefined;
  const seconds = parseDuration(value);
  return seconds === undefined || seconds === 0 ? undefined : value;
}

/**
 * How far an event has recovered with one more OK. The time is counted from run to run by `executed`, so that what an
 * agent kept while it was cut off counts for when it was; it never runs backwards with somebody's clock.
 *
 * @param before with the OK before this one; undefined: this is the first
 * @returns undefined: its check asks for nothing
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

/** Whether nothing is left to wait for. */
export function isRecovered({ results, since, last, after }: Recovery): boolean {
  return typeof after === 'number' ? results >= after : last - since >= (parseDuration(after) ?? 0);
}

/** `1 of 3 OK`, `OK for 40s of 5m`. */
export function recoveryWords({ results, since, last, after }: Recovery): string {
  if (typeof after === 'number') return `${String(results)} of ${String(after)} OK`;
  return `OK for ${formatDuration(last - since)} of ${after}`;
}
