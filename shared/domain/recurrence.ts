import { parseDay } from '../schemas/calendar-day.ts';
import type { Recurrence, ShownWindow, SubmittedRecurrence } from '../schemas/recurrence.ts';
import { parseSchedule, SCHEDULE_ZONE, type Schedule } from '../schemas/schedule.ts';
import { timeZoneOf } from '../schemas/time-zone.ts';
import { formatDuration } from './duration.ts';
import { findLocalTimes, utcOffsetMs } from './local-time.ts';

/*
 * Windows in which a recurring silence is active (silencing 3). The schedule of the silence defines when they begin, in
 * the local time of its zone. Their duration is elapsed time, so changes between standard and summer time do not affect
 * it.
 */

/** A window in which a recurring silence is active: from `beginMs`, up to but not including `endMs`. */
export interface RecurringWindow {
  readonly beginMs: number;
  readonly endMs: number;
  /** The clock change (to or from summer time) at the begin or during the window; undefined if there is none. */
  readonly clockChange?: ShownWindow['clock_change'];
}

const DAY_MS = 86_400_000;

/** Maximum number of days to search for the next day of a schedule: two leap days can be eight years apart. */
const DAYS_MAX = 8 * 366 + 1;

/** Converts a submitted recurrence to its stored form, with defaults filled in. */
export function recurrenceOf(submitted: SubmittedRecurrence): Recurrence {
  const { schedule, zone, duration, first_day: first, last_day: last } = submitted;
  return {
    schedule: schedule.trim(),
    zone: zone ?? SCHEDULE_ZONE,
    duration,
    ...(typeof first === 'string' && { first_day: first }),
    ...(typeof last === 'string' && { last_day: last }),
  };
}

/** Name of an attribute of a recurrence in the API, such as `schedule` or `last_day`. */
export type RecurrencePart = keyof Recurrence;

/**
 * Returns the problem of a recurrence whose attributes are each valid, such as that its windows would overlap.
 *
 * @returns error message, to be shown after `recurrence: `; undefined if there is no problem
 */
export function recurrenceProblem(recurrence: Recurrence, nowMs: number): string | undefined {
  return recurrenceProblemWithAttribute(recurrence, nowMs)?.problem;
}

/** Returns the problem of a recurrence, with the attribute that must change; undefined if there is no problem. */
export function recurrenceProblemWithAttribute(
  recurrence: Recurrence,
  nowMs: number,
): { readonly part: RecurrencePart; readonly problem: string } | undefined {
  const schedule = scheduleOf(recurrence);
  if (schedule === undefined) return { part: 'schedule', problem: 'the schedule is invalid' };
  const apart = cachedMinStartGapMs(recurrence.schedule, schedule);
  if (recurrence.duration * 1000 >= apart) {
    const problem =
      `windows of ${formatDuration(recurrence.duration)} would overlap: the schedule has one every ` +
      `${formatDuration(apart / 1000)}, so a shorter duration is needed`;
    return { part: 'duration', problem };
  }
  if (nextWindow(recurrence, nowMs) !== undefined) return undefined;
  const { last_day: last } = recurrence;
  return last === undefined
    ? { part: 'schedule', problem: 'no window will ever start: check day and month of the schedule' }
    : { part: 'last_day', problem: `no window starts before last_day ${last}: choose a later day` };
}

/** Returns the window that is active at `nowMs`, or else the next window; undefined if there is neither. */
export function nextWindow(recurrence: Recurrence, nowMs: number): RecurringWindow | undefined {
  const { schedule, zone, duration, first_day: first, last_day: last } = recurrence;
  const key = JSON.stringify([schedule, zone, duration, first, last]);
  const cached = windowsByRecurrence.get(key);
  if (cached !== undefined && cached.sinceMs <= nowMs && nowMs < cached.untilMs) return cached.window;
  const window = firstWindow(recurrence, nowMs);
  // The result is valid until the window ends. If there is no window, the search is repeated after a day.
  const untilMs = window?.endMs ?? nowMs + DAY_MS;
  if (windowsByRecurrence.size >= CACHED_MAX) windowsByRecurrence.clear();
  windowsByRecurrence.set(key, { window, sinceMs: nowMs, untilMs });
  return window;
}

function firstWindow(recurrence: Recurrence, nowMs: number): RecurringWindow | undefined {
  for (const window of generateWindows(recurrence, nowMs)) return window;
  return undefined;
}

/** Maximum number of entries in each cache below. Many silences share the same recurrences and schedules. */
const CACHED_MAX = 10_000;

/**
 * Cache of the results of `nextWindow`, by the attributes of the recurrence. An entry is valid from `sinceMs` to just
 * before `untilMs`.
 */
const windowsByRecurrence = new Map<
  string,
  { readonly window: RecurringWindow | undefined; readonly sinceMs: number; readonly untilMs: number }
>();

/** Returns the active window (if there is one) and the windows after it, at most `count` in total. */
export function nextWindows(recurrence: Recurrence, nowMs: number, count: number): RecurringWindow[] {
  const windows: RecurringWindow[] = [];
  for (const window of generateWindows(recurrence, nowMs)) {
    windows.push(window);
    if (windows.length === count) break;
  }
  return windows;
}

/** Number of windows shown in the preview of a silence. */
const PREVIEWED_WINDOWS = 5;

/** Returns the active window (if there is one) and the next windows, in the format of the API. */
export function shownWindows(recurrence: Recurrence, nowMs: number): ShownWindow[] {
  return nextWindows(recurrence, nowMs, PREVIEWED_WINDOWS).map(shownWindow);
}

function shownWindow({ beginMs, endMs, clockChange }: RecurringWindow): ShownWindow {
  const span = { begin: beginMs / 1000, end: endMs / 1000 };
  return clockChange === undefined ? span : { ...span, clock_change: clockChange };
}

/**
 * Yields the windows of a recurrence in order.
 *
 * @param nowMs epoch milliseconds; windows that have ended by then are left out
 */
function* generateWindows(recurrence: Recurrence, nowMs: number): Generator<RecurringWindow, void, undefined> {
  const schedule = scheduleOf(recurrence);
  const zone = timeZoneOf(recurrence.zone);
  if (schedule === undefined || zone === undefined) return;
  const durationMs = recurrence.duration * 1000;
  let previousStart: WindowStart | undefined;
  for (const start of generateStarts(schedule, zone, recurrence, nowMs - durationMs)) {
    // If the clocks skip two start times, both windows would begin when the skipped time ends. They become one window.
    if (previousStart !== undefined && start.ms <= previousStart.ms) continue;
    if (previousStart !== undefined) {
      const window = windowOf(previousStart, Math.min(previousStart.ms + durationMs, start.ms), zone);
      if (window.endMs > nowMs) yield window;
    }
    previousStart = start;
  }
  if (previousStart === undefined) return;
  const window = windowOf(previousStart, previousStart.ms + durationMs, zone);
  if (window.endMs > nowMs) yield window;
}

interface WindowStart {
  readonly ms: number;
  readonly kind: 'once' | 'start_skipped' | 'start_twice';
}

function windowOf({ ms, kind }: WindowStart, endMs: number, zone: string): RecurringWindow {
  const clockChange = kind === 'once' ? changeDuring(ms, endMs, zone) : kind;
  return { beginMs: ms, endMs, ...(clockChange !== undefined && { clockChange }) };
}

function changeDuring(beginMs: number, endMs: number, zone: string): 'during' | undefined {
  return utcOffsetMs(beginMs, zone) === utcOffsetMs(endMs - 1, zone) ? undefined : 'during';
}

/** Yields the starts of all windows that begin at or after `fromMs`, and possibly some that begin before it. */
function* generateStarts(
  schedule: Schedule,
  zone: string,
  { first_day: first, last_day: last }: Recurrence,
  fromMs: number,
): Generator<WindowStart, void, undefined> {
  // The search starts two days earlier. The local date can be one day before the UTC date, and a start time that the
  // clocks skip can move to the next day.
  const earliest = Math.floor(fromMs / DAY_MS) * DAY_MS - 2 * DAY_MS;
  const firstDay = Math.max(earliest, (first === undefined ? undefined : parseDay(first)) ?? earliest);
  const lastDay = (last === undefined ? undefined : parseDay(last)) ?? Infinity;
  let farthest = firstDay + DAYS_MAX * DAY_MS;
  for (let day = firstDay; day <= Math.min(lastDay, farthest); day += DAY_MS) {
    if (!isOnDay(schedule, day)) continue;
    farthest = day + DAYS_MAX * DAY_MS;
    const before = utcOffsetMs(day - DAY_MS, zone);
    // UTC offsets are at most 14 hours, so the whole local day is between the times of `before` and `after`.
    const after = utcOffsetMs(day + 2 * DAY_MS, zone);
    for (const minutes of schedule.times) {
      const localMs = day + minutes * 60_000;
      yield before === after ? { ms: localMs - before, kind: 'once' } : startOf(localMs, zone);
    }
  }
}

/**
 * Returns when local clocks show a time. If they show it twice because they are set back, it is the first time. If they
 * skip it because they are set forward, it is the time of the change.
 */
function startOf(localMs: number, zone: string): WindowStart {
  const { kind, firstMs: ms } = findLocalTimes(localMs, zone);
  return { ms, kind: kind === 'skipped' ? 'start_skipped' : kind === 'twice' ? 'start_twice' : 'once' };
}

function isOnDay({ months, monthDays, weekdays }: Schedule, dayMs: number): boolean {
  const [month, monthDay, weekday] = dateOf(dayMs);
  if (months?.has(month) === false) return false;
  const [onMonthDay, onWeekday] = [monthDays?.has(monthDay), weekdays?.has(weekday)];
  // As in cron, if both month days and weekdays are restricted, a day need match only one of the two.
  return onMonthDay === undefined || onWeekday === undefined
    ? (onMonthDay ?? onWeekday ?? true)
    : onMonthDay || onWeekday;
}

type DateParts = readonly [month: number, monthDay: number, weekday: number];

/**
 * Cache of month, day and weekday of all days from 2000 to 2099, filled on first use. The search for a rare day, such
 * as a leap day, examines thousands of days.
 */
const datePartsCache: DateParts[] = [];
const FIRST_DATE_MS = Date.UTC(2000, 0);
const CACHED_DAYS = (Date.UTC(2100, 0) - FIRST_DATE_MS) / DAY_MS;

function dateOf(dayMs: number): DateParts {
  if (datePartsCache.length === 0) {
    for (let at = 0; at < CACHED_DAYS; at++) datePartsCache.push(datePartsOf(FIRST_DATE_MS + at * DAY_MS));
  }
  return datePartsCache[(dayMs - FIRST_DATE_MS) / DAY_MS] ?? datePartsOf(dayMs);
}

function datePartsOf(dayMs: number): DateParts {
  const date = new Date(dayMs);
  return [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()];
}

/**
 * Returns the shortest time between two start times of a schedule in local time, in milliseconds; `Infinity` if the
 * schedule has less than two start times.
 */
function minStartGapMs(schedule: Schedule): number {
  const { times } = schedule;
  let least = Infinity;
  for (const [at, minutes] of times.entries()) least = Math.min(least, minutes - (times[at - 1] ?? -Infinity));
  const wrap = (times[0] ?? 0) - (times.at(-1) ?? 0);
  let last: number | undefined;
  // The search can begin in any leap year: the pattern of dates repeats.
  for (let day = Date.UTC(2024, 0), left = DAYS_MAX; left > 0; day += DAY_MS, left--) {
    if (!isOnDay(schedule, day)) continue;
    if (last !== undefined) least = Math.min(least, (day - last) / 60_000 + wrap);
    last = day;
  }
  return least * 60_000;
}

function cachedMinStartGapMs(text: string, schedule: Schedule): number {
  const cached = leastApartByText.get(text);
  if (cached !== undefined) return cached;
  const apart = minStartGapMs(schedule);
  if (leastApartByText.size >= CACHED_MAX) leastApartByText.clear();
  leastApartByText.set(text, apart);
  return apart;
}

const leastApartByText = new Map<string, number>();

function scheduleOf({ schedule: text }: Recurrence): Schedule | undefined {
  const cached = schedulesByText.get(text);
  if (cached !== undefined) return cached;
  const schedule = parseSchedule(text);
  if ('problem' in schedule) return undefined;
  if (schedulesByText.size >= CACHED_MAX) schedulesByText.clear();
  schedulesByText.set(text, schedule);
  return schedule;
}

const schedulesByText = new Map<string, Schedule>();
