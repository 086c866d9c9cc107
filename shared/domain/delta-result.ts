import { isV2Result } from './event.ts';
import { truncatesOutput } from './truncation.ts';
import type { CheckResult } from '../schemas/result.ts';

/**
 * Whether a stored result without an event can be the baseline of delta results (results sent as the difference to the
 * last full one). The result must be OK and of the type `standard`. Its check must have no flap detection, no
 * truncation and not the v2 format, because these need the full result.
 */
export function canBeBaseline(check: CheckResult): boolean {
  return (
    check.status === 0 &&
    check['type'] === 'standard' &&
    check['low_flap_threshold'] === undefined &&
    check['max_output_size'] === undefined &&
    !truncatesOutput(check) &&
    !isV2Result(check) &&
    hasDeltaTimes(check)
  );
}

/** The times that a delta result contains. */
interface DeltaTimes {
  /** Start of the run in epoch seconds. */
  readonly executed: number;
  /** Time of the request for the run in epoch seconds. */
  readonly issued: number;
  /** Duration of the run in seconds. */
  readonly duration?: number | undefined;
}

/** Whether the times of a result can be sent in a delta result. Agent and backend both check this. */
export function hasDeltaTimes<Result extends Readonly<Record<string, unknown>>>(
  result: Result,
): result is Result & DeltaTimes {
  const { executed, issued, duration } = result;
  return isTime(executed) && isTime(issued) && (duration === undefined || Number.isFinite(duration));
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
