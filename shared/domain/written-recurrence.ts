import { parseDay } from '../schemas/calendar-day.ts';
import type { Recurrence } from '../schemas/recurrence.ts';
import { parseSchedule, SCHEDULE_HINT, SCHEDULE_ZONE, WINDOW_SECONDS } from '../schemas/schedule.ts';
import { TIME_ZONE_HINT, timeZoneOf } from '../schemas/time-zone.ts';
import { formatDuration, readDuration } from './duration.ts';
import { DURATION_HINT, parseDuration } from '../schemas/parse-duration.ts';
import { recurrenceProblemWithAttribute, recurrenceOf, type RecurrencePart } from './recurrence.ts';

/** The schedule of a recurring silence as a user typed it in a form. A text is empty if nothing was typed. */
export interface WrittenRecurrence {
  readonly schedule: string;
  /** Time zone; if empty, UTC is used. */
  readonly zone: string;
  readonly duration: string;
  /** First and last day of the silence; each is empty if there is no limit. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** A parsed recurrence, or its first problem with the attribute (`part`) next to which the form shows it. */
export type ReadRecurrence =
  | { readonly recurrence: Recurrence; readonly problem?: undefined }
  | { readonly problem: string; readonly part: RecurrencePart };

const DAY_HINT = 'write a day such as 2026-12-31';

/** Parses a typed recurrence. It reports the same problems as the backend, but before a request is sent. */
export function readRecurrence(written: WrittenRecurrence, nowMs: number): ReadRecurrence {
  const schedule = written.schedule.trim();
  const [zone, first, last] = [written.zone.trim() || SCHEDULE_ZONE, written.firstDay.trim(), written.lastDay.trim()];
  const parsed = parseSchedule(schedule);
  if (schedule === '') return recurrenceProblem('schedule', `no schedule: ${SCHEDULE_HINT}`);
  if ('problem' in parsed) return recurrenceProblem('schedule', parsed.problem);
  if (timeZoneOf(zone) === undefined)
    return recurrenceProblem('zone', `"${zone}" is not a time zone: use ${TIME_ZONE_HINT}`);
  const typed = readDuration(written.duration);
  if ('problem' in typed) {
    return recurrenceProblem(
      'duration',
      written.duration.trim() === '' ? `how long a window lasts: ${DURATION_HINT}` : typed.problem,
    );
  }
  const { seconds: duration } = typed;
  if (duration < WINDOW_SECONDS.min || duration > WINDOW_SECONDS.max) {
    return recurrenceProblem(
      'duration',
      `a window lasts from ${formatDuration(WINDOW_SECONDS.min)} to less than a week`,
    );
  }
  if (first !== '' && parseDay(first) === undefined)
    return recurrenceProblem('first_day', `"${first}" is not a day: ${DAY_HINT}`);
  if (last !== '' && parseDay(last) === undefined)
    return recurrenceProblem('last_day', `"${last}" is not a day: ${DAY_HINT}`);
  if (first !== '' && last !== '' && last < first) {
    return recurrenceProblem('last_day', `the last day is before the first day, ${first}: swap them`);
  }
  const recurrence = recurrenceOf({
    schedule,
    zone,
    duration,
    ...(first !== '' && { first_day: first }),
    ...(last !== '' && { last_day: last }),
  });
  const fault = recurrenceProblemWithAttribute(recurrence, nowMs);
  return fault === undefined ? { recurrence } : recurrenceProblem(fault.part, fault.problem);
}

/** Formats a recurrence as a user would type it. */
export function writtenRecurrence(recurrence: Recurrence): WrittenRecurrence {
  const { schedule, zone, duration, first_day: firstDay = '', last_day: lastDay = '' } = recurrence;
  const short = formatDuration(duration);
  // The short form has two units at most. If it loses precision, seconds are used instead.
  return {
    schedule,
    zone,
    duration: parseDuration(short) === duration ? short : `${String(duration)}s`,
    firstDay,
    lastDay,
  };
}

function recurrenceProblem(part: RecurrencePart, problem: string): ReadRecurrence {
  return { part, problem };
}
