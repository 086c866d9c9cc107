import { createHash } from 'node:crypto';
import { nextRunDelayMs } from '../../shared/domain/schedule.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';
import { parseV2Cron } from '../../shared/schemas/v2/cron.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import { cronSchedule } from './cron-schedule.ts';

/** When a check is due. */
export interface Timetable {
  /** Whether a clock that is set right changes the moments: those of the calendar, not those of an interval. */
  readonly isByCalendar: boolean;
  /** The first moment after `afterMs`, epoch milliseconds by that clock; undefined: never again. */
  next(afterMs: number): number | undefined;
}

/**
 * By `cron` where there is one, else every `interval` seconds, at a place in the interval that stays the same across
 * restarts (completion 1.13).
 *
 * @param splayName what the place follows from: the check's name, `client:check` for a standalone check
 * @returns undefined for a check that has neither
 */
export function timetableOf(
  splayName: string,
  { cron, interval, timezone }: Pick<CheckDefinition, 'cron' | 'interval' | 'timezone'>,
): Timetable | undefined {
  if (cron === undefined) return interval === undefined ? undefined : byInterval(splayName, interval);
  const { zone, everySeconds, fields } = parseV2Cron(cron) ?? { fields: cron };
  if (everySeconds !== undefined) return byInterval(splayName, everySeconds);
  const place = zone ?? (timezone === undefined ? undefined : timeZoneOf(timezone));
  return { isByCalendar: true, next: cronSchedule(fields, place) };
}

function byInterval(splayName: string, seconds: number): Timetable {
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
