import { cronDates, cronProblem, dateProblem, WEEKDAY_NAMES, type CronDates } from './cron.ts';

/** The schedule of a recurring silence, in local time: all `times` on each matching day (silencing 3). */
export type Schedule = CronDates;

/** Default time zone of a schedule. */
export const SCHEDULE_ZONE = 'UTC';

/**
 * Minimum and maximum duration of a window in seconds. Less than a minute is likely a mistake in the unit. Less than a
 * week leaves a gap between the windows of a weekly schedule.
 */
export const WINDOW_SECONDS = { min: 60, max: 7 * 86_400 - 1 };

/** The hint at the end of each error message about a schedule. */
export const SCHEDULE_HINT =
  'write days and a time as in "sat,sun 02:00", "mon-fri 22:00" or "daily 03:30", or cron as in "0 22 * * 2"';

const DAY_WORDS: ReadonlyMap<string, readonly number[]> = new Map([
  ['daily', [0, 1, 2, 3, 4, 5, 6]],
  ['weekdays', [1, 2, 3, 4, 5]],
  ['weekends', [0, 6]],
]);

const TIME_FORMAT = /^(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)$/;

/** Maximum number of times of day in a schedule. */
const TIMES_MAX = 24;

/**
 * Parses a schedule: days of the week and times (`sat,sun 02:00`, `mon-fri 6:00,18:00`, `daily 03:30`), or the five
 * fields of cron. It never throws.
 *
 * @returns the schedule, or the error message for an invalid text
 */
export function parseSchedule(written: string): Schedule | { readonly problem: string } {
  const text = written.trim().toLowerCase();
  const [days = '', times = '', ...extraWords] = text.split(/\s+/);
  if (text.startsWith('@') || extraWords.length > 0) return parseCron(text);
  const weekdays = weekdaysOf(days);
  if (typeof weekdays === 'string') return { problem: weekdays };
  const minutes = minutesOf(times);
  if (typeof minutes === 'string') return { problem: minutes };
  return { times: minutes, weekdays, monthDays: undefined, months: undefined };
}

function parseCron(text: string): Schedule | { readonly problem: string } {
  const problem = cronProblem(text) ?? dateProblem(text);
  return problem === undefined ? cronDates(text) : { problem };
}

/** Parses days of the week such as `mon-fri,sun`. @returns the days (0 is Sunday), or an error message */
export function weekdaysOf(text: string): ReadonlySet<number> | string {
  const days = new Set<number>();
  for (const item of text.split(',')) {
    const some = DAY_WORDS.get(item) ?? rangeOfDays(item);
    if (some === undefined) return `"${item.slice(0, 40)}" is not a day of the week: ${SCHEDULE_HINT}`;
    for (const day of some) days.add(day);
  }
  return days;
}

/** Parses a day of the week, or a range of days, which may cross the end of the week: `fri-mon`. */
function rangeOfDays(item: string): readonly number[] | undefined {
  const [from, to = from, ...extraDays] = item.split('-').map(weekdayOf);
  if (from === undefined || to === undefined || extraDays.length > 0) return undefined;
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, at) => (from + at) % 7);
}

function weekdayOf(name: string): number | undefined {
  const at = WEEKDAY_NAMES.findIndex((day) => name === day.slice(0, 3) || name === day);
  return at === -1 ? undefined : at;
}

function minutesOf(text: string): readonly number[] | string {
  const times = text.split(',');
  if (times.length > TIMES_MAX) return `has more than ${String(TIMES_MAX)} times of a day`;
  const minutes = new Set<number>();
  for (const time of times) {
    const { hour, minute } = TIME_FORMAT.exec(time)?.groups ?? {};
    if (hour === undefined) return `"${time.slice(0, 40)}" is not a time of day: ${SCHEDULE_HINT}`;
    minutes.add(Number(hour) * 60 + Number(minute));
  }
  return [...minutes].toSorted((a, b) => a - b);
}
