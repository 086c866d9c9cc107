import { auditTargetName, targetTextOfId } from '../../shared/domain/silence-name.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { EXPIRE_NEVER } from '../../shared/schemas/lifetime.ts';
import type { SubmittedMonSilenced } from '../../shared/schemas/silenced.ts';
import { shownClock, shownDayAndClock } from './shown-time.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';

export const SELECTOR_UNSUPPORTED = 'this backend does not support silences by search: upgrade it';

/** Returns the target of an audit record. The target of a change to a silence is in the form of `targetText`. */
export function auditTargetText(record: AuditRecord): string {
  const name = auditTargetName(record);
  return record.action.startsWith('silence.') && name === record.target ? targetTextOfId(name) : name;
}

/**
 * Returns when a new or changed silence starts, if it is pending, and when it ends: `starts at 22:00Z (in 3h), ends at
 * 02:00Z`.
 */
export function silenceTimesText(
  { begin, expire, expire_on_resolve: isUntilOk, recurrence }: SubmittedMonSilenced,
  nowMs: number,
): string {
  if (recurrence) return 'recurring';
  const beginMs = (begin ?? 0) * 1000;
  const isPending = beginMs > nowMs;
  const start = isPending
    ? `starts at ${momentText(beginMs, nowMs)} (in ${formatDuration((beginMs - nowMs) / 1000)}), `
    : '';
  const hasEnd = expire !== undefined && expire !== null && expire !== EXPIRE_NEVER;
  const end = hasEnd ? `ends at ${momentText(Math.max(nowMs, beginMs) + expire * 1000, nowMs)}` : 'never expires';
  return `${start}${end}${isUntilOk === true ? ' or when the check resolves' : ''}`;
}

/** Returns a time in minutes, with its date if it is not within the next 24 hours. */
function momentText(atMs: number, nowMs: number): string {
  return atMs - nowMs < DAY_MS ? shownClock(atMs, 'minutes') : shownDayAndClock(atMs);
}

const DAY_MS = 86_400_000;
