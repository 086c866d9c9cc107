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
    isTime(check.executed) &&
    isTime(check.issued) &&
    (check['duration'] === undefined || Number.isFinite(check['duration']))
  );
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
