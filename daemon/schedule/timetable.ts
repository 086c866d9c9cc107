import { createHash } from 'node:crypto';
import { nextRunDelayMs } from '../../shared/domain/schedule.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { parseV2Cron } from '../../shared/schemas/v2/cron.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { cronSchedule } from './cron-schedule.ts';

/** The times at which a check is due. */
export interface Timetable {
  /** True for calendar times (cron), which follow clock corrections; false for an interval, which ignores them. */
  readonly isByCalendar: boolean;
  /**
   * Returns the first time after `afterMs`; undefined if there is none. Both are epoch milliseconds: of `Clock.now` for
   * calendar times, of `PlanningClock.steady` for an interval.
   */
  next(afterMs: number): number | undefined;
}

/**
 * Returns the timetable of a check. It uses `cron` if set, else every `interval` seconds, with an offset in the
 * interval that is stable across restarts (completion 1.13).
 *
 * @param splayName the text from which the offset is derived: the check's name, or `client:check` for a standalone
 *   check
 * @returns the timetable; undefined if the check has neither `cron` nor `interval`
 */
export function timetableOf(
  splayName: string,
  { cron, interval, timezone }: Pick<CheckDefinition, 'cron' | 'interval' | 'timezone'>,
): Timetable | undefined {
  if (cron === undefined) return interval === undefined ? undefined : intervalTimetable(splayName, interval);
  const { zone, everySeconds, fields } = parseV2Cron(cron) ?? { fields: cron };
  if (everySeconds !== undefined) return intervalTimetable(splayName, everySeconds);
  const resolvedZone = zone ?? (timezone === undefined ? undefined : timeZoneOf(timezone));
  return { isByCalendar: true, next: cronSchedule(fields, resolvedZone) };
}

function intervalTimetable(splayName: string, seconds: number): Timetable {
  const intervalMs = seconds * 1000;
  const key = createHash('md5').update(splayName).digest().readBigUInt64LE(0);
  return {
    isByCalendar: false,
    next: (afterMs) => {
      const fromMs = Math.floor(afterMs) + 1;
      return fromMs + nextRunDelayMs(key, intervalMs, fromMs);
    },
  };
}
