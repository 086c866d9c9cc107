import { isOfNewerShape } from './event.ts';
import { truncatesOutput } from './truncation.ts';
import type { CheckResult } from '../schemas/result.ts';

/**
 * Whether a stored result that opened no event can be followed by ones that are told by what differs: no rule looks at more
 * of them than that they are OK, and their output is stored as it comes.
 */
export function isShortenable(check: CheckResult): boolean {
  return (
    check.status === 0 &&
    check['type'] === 'standard' &&
    check['low_flap_threshold'] === undefined &&
    check['max_output_size'] === undefined &&
    !truncatesOutput(check) &&
    !isOfNewerShape(check) &&
    hasShortTimes(check)
  );
}

/** What each short result tells anew. */
interface ShortTimes {
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds. */
  readonly duration?: number | undefined;
}

/** Whether the times of a result are such as a short one can tell: asked by the agent and by the backend. */
export function hasShortTimes<Result extends Readonly<Record<string, unknown>>>(
  result: Result,
): result is Result & ShortTimes {
  const { executed, issued, duration } = result;
  return isTime(executed) && isTime(issued) && (duration === undefined || Number.isFinite(duration));
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
