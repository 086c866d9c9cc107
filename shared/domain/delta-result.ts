import { isOfNewerShape } from './event.ts';
import { truncatesOutput } from './truncation.ts';
import type { CheckResult } from '../schemas/result.ts';

/**
 * Whether a stored result without an event can be the baseline of delta results. This requires that no rule uses more
 * of the results than their OK status, and that their output is stored unchanged.
 */
export function canBeBaseline(check: CheckResult): boolean {
  return (
    check.status === 0 &&
    check['type'] === 'standard' &&
    check['low_flap_threshold'] === undefined &&
    check['max_output_size'] === undefined &&
    !truncatesOutput(check) &&
    !isOfNewerShape(check) &&
    hasDeltaTimes(check)
  );
}

/** The times that each delta result contains. */
interface DeltaTimes {
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds. */
  readonly duration?: number | undefined;
}

/** Whether a delta can represent the times of this result. The agent and the backend both check this. */
export function hasDeltaTimes<Result extends Readonly<Record<string, unknown>>>(
  result: Result,
): result is Result & DeltaTimes {
  const { executed, issued, duration } = result;
  return isTime(executed) && isTime(issued) && (duration === undefined || Number.isFinite(duration));
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
