import { parseDay } from '../schemas/calendar-day.ts';
import { WEEKDAY_NAMES } from '../schemas/cron.ts';
import { TIME_ZONE_HINT, timeZoneOf } from '../schemas/time-zone.ts';
import { formatDuration, unitQuestion } from './duration.ts';
import { parseDuration } from '../schemas/parse-duration.ts';
import { findLocalTimes, utcOffsetMs } from './local-time.ts';

/*
 * The one grammar for times that people type, and the one form in which times are shown to them. Times without a zone
 * are local times. A local time that the clocks skip means the time of the change. A local time that they show twice
 * means the first one if the text names a day, and the nearest one in the direction of the place if it does not.
 */

/** The time and the zone of the person who types or reads a time. */
export interface LocalClock {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The IANA name of the time zone, as `timeZoneOf` returns it. */
  readonly zone: string;
}

/** A point in time in epoch milliseconds, or what is wrong with the text and what to write instead. */
export type ReadTime =
  { readonly atMs: number; readonly problem?: undefined } | { readonly problem: string; readonly atMs?: undefined };

/** Examples of times in the past, for help and error messages. */
export const PAST_TIME_HINT = '22:00, yesterday 03:12, 2026-11-28 02:00 or 10 minutes ago';

/** Examples of times in the future, for help and error messages. */
export const START_TIME_HINT = '22:00, tomorrow 02:00, 2026-11-28 02:00 or in 2h';

/** A time in the current minute counts as now, so that a start that was just typed is not in the past. */
const TOLERANCE_MS = 60_000;

const DAY_MS = 86_400_000;
const TEXT_LENGTH_MAX = 80;

/** Latest time that is shown as a date: 9999 is the last year with four digits. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

const WEEKDAY_SOURCE = 'sun(?:day)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?';
const DAY_SOURCE = String.raw`(?<day>today|tomorrow|yesterday|${WEEKDAY_SOURCE}|\d{4}-\d\d-\d\d)`;
const TIME_OF_DAY = String.raw`(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:\.\d{1,9})?)?`;
const ZONE_SOURCE = String.raw`(?: ?(?<zone>Z|UTC|[+-]\d\d:?\d\d)| (?<named>[a-z][\w/+-]*))?`;
const CALENDAR_TIME = new RegExp(`^(?:${DAY_SOURCE}|(?:${DAY_SOURCE}[T ])?${TIME_OF_DAY})${ZONE_SOURCE}$`, 'i');

/**
 * Parses a time: `now`, a time of day (`22:00`), a day with or without a time of day (`tomorrow 02:00`, `yesterday
 * 03:12`, `fri 18:00`, `2026-11-28T02:00`, `2026-11-28`), a duration from now (`10 minutes ago`, `in 2h`, `+2h`), or
 * epoch seconds of at least nine digits. A time of day or a day may end in a zone: `22:00Z`, `22:00 UTC`,
 * `22:00+01:00`, `22:00 EST`, `22:00 Europe/Berlin`.
 *
 * @param direction the direction of a plain duration (`2h`) and of a time of day without a day: `past` for the latest
 * time of day or day of the week before now, `future` for the next one, which may be up to a minute ago. `any` accepts
 * no plain duration and no day of the week, and means today.
 */
export function readTime(text: string, clock: LocalClock, direction: 'past' | 'future' | 'any'): ReadTime {
  const typed = text.trim().replaceAll(/\s+/g, ' ');
  if (typed.length > TEXT_LENGTH_MAX) return { problem: 'this time is too long' };
  const { nowMs } = clock;
  if (/^now$/i.test(typed)) return { atMs: nowMs };
  if (/^\d{9,12}$/.test(typed)) return checkTimeRange(Number(typed) * 1000, text);
  const [, amount, sign] = /^(?:in (?=\d)|\+ ?)?(\d.*?)( ago)?$/i.exec(typed) ?? [];
  const isAhead = /^(?:in |\+)/i.test(typed);
  if (amount !== undefined && !(isAhead && sign !== undefined)) {
    if (/^\d+$/.test(amount)) return { problem: unitQuestion(amount) };
    const seconds = parseDuration(amount);
    if (seconds !== undefined) {
      if (!isAhead && sign === undefined && direction === 'any') {
        return { problem: `${JSON.stringify(text)} before or after now? write ${typed} ago or in ${typed}` };
      }
      const isLater = isAhead || (sign === undefined && direction === 'future');
      return checkTimeRange(nowMs + (isLater ? seconds : -seconds) * 1000, text);
    }
  }
  const groups = CALENDAR_TIME.exec(typed)?.groups;
  return groups === undefined ? notATime(text, direction) : calendarTime(text, groups, clock, direction);
}

/** Parses a time as `readTime` does, and rejects a time in the future. */
export function readPastTime(text: string, clock: LocalClock): ReadTime {
  const time = readTime(text, clock, 'past');
  return time.problem === undefined && time.atMs > clock.nowMs
    ? { problem: `${JSON.stringify(text)} is in the future: write a time in the past, such as ${PAST_TIME_HINT}` }
    : time;
}

/** Parses the start of something planned as `readTime` does, and rejects a time more than a minute in the past. */
export function readStartTime(text: string, clock: LocalClock): ReadTime {
  const time = readTime(text, clock, 'future');
  if (time.problem !== undefined || time.atMs > clock.nowMs - TOLERANCE_MS) return time;
  const age = formatDuration((clock.nowMs - time.atMs) / 1000);
  return { problem: `${JSON.stringify(text)} is ${age} in the past: write a later time, or now` };
}

function calendarTime(
  text: string,
  { day, hour = '0', minute = '0', second = '0', zone: offset, named }: Readonly<Record<string, string | undefined>>,
  clock: LocalClock,
  direction: 'past' | 'future' | 'any',
): ReadTime {
  const writtenZone = offset ?? named;
  const zone = writtenZone === undefined ? clock.zone : timeZoneOf(writtenZone);
  if (zone === undefined) {
    return { problem: `${JSON.stringify(writtenZone)} is not a time zone: use ${TIME_ZONE_HINT}` };
  }
  const today = localDay(clock.nowMs, zone);
  const timeMs = (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000;
  const weekday = day === undefined ? -1 : WEEKDAY_NAMES.findIndex((name) => name.startsWith(day.toLowerCase()));
  if (weekday !== -1) {
    if (direction === 'any') return notATime(text, direction);
    const moments = weekdayMoments(today, weekday, timeMs, zone);
    const atMs =
      direction === 'past'
        ? Math.max(...moments.filter((ms) => ms <= clock.nowMs))
        : Math.min(...moments.filter((ms) => ms > clock.nowMs - TOLERANCE_MS));
    return checkTimeRange(atMs, text);
  }
  if (day !== undefined || direction === 'any') {
    const dayMs = day === undefined ? today : dayOf(day, today);
    return dayMs === undefined
      ? notATime(text, direction)
      : checkTimeRange(findLocalTimes(dayMs + timeMs, zone).firstMs, text);
  }
  return checkTimeRange(
    direction === 'past'
      ? Math.max(...nearbyLocalTimes(clock.nowMs, timeMs, zone).filter((ms) => ms <= clock.nowMs))
      : nextTimeOfDay(timeMs, clock.nowMs - TOLERANCE_MS, zone),
    text,
  );
}

/**
 * Returns the next time, later than `afterMs`, at which the clocks of a zone show a time of day.
 *
 * @param timeMs milliseconds since midnight on the clocks
 */
export function nextTimeOfDay(timeMs: number, afterMs: number, zone: string): number {
  return Math.min(...nearbyLocalTimes(afterMs, timeMs, zone).filter((ms) => ms > afterMs));
}

/** Returns the times on a day of the week, in the weeks around a day. @param weekday 0 is Sunday */
function weekdayMoments(today: number, weekday: number, timeMs: number, zone: string): readonly number[] {
  const distance = (weekday - new Date(today).getUTCDay() + 7) % 7;
  return [-7, 0, 7].map((days) => findLocalTimes(today + (distance + days) * DAY_MS + timeMs, zone).firstMs);
}

function nearbyLocalTimes(epochMs: number, timeMs: number, zone: string): readonly number[] {
  const day = localDay(epochMs, zone);
  return [-1, 0, 1].flatMap((days) => {
    const { firstMs, lastMs } = findLocalTimes(day + days * DAY_MS + timeMs, zone);
    return [firstMs, lastMs];
  });
}

/** Returns the local day at a time, as the midnight of that day in UTC. */
function localDay(epochMs: number, zone: string): number {
  return Math.floor((epochMs + utcOffsetMs(epochMs, zone)) / DAY_MS) * DAY_MS;
}

function dayOf(day: string, today: number): number | undefined {
  switch (day.toLowerCase()) {
    case 'today':
      return today;
    case 'tomorrow':
      return today + DAY_MS;
    case 'yesterday':
      return today - DAY_MS;
    default:
      return parseDay(day);
  }
}

function checkTimeRange(atMs: number, text: string): ReadTime {
  return atMs >= 0 && atMs <= TIME_MAX_MS ? { atMs } : { problem: `${JSON.stringify(text)} is too far from now` };
}

function notATime(text: string, direction: 'past' | 'future' | 'any'): ReadTime {
  const hint = direction === 'past' ? PAST_TIME_HINT : START_TIME_HINT;
  return { problem: `${JSON.stringify(text)} is not a time: write ${hint}` };
}

/**
 * Formats a date and time with its zone, so that `readTime` can parse it: `2026-11-20 22:14:07Z`, `2026-11-20 17:14:07
 * EST`, `2026-11-20 23:14:07+01:00`. A time that has no date of four-digit years is shown as epoch seconds.
 */
export function dateTimeText(atMs: number, zone: string, precision: 'seconds' | 'minutes' = 'seconds'): string {
  return isShownAsDate(atMs)
    ? `${dateText(atMs, zone)} ${timeOfDayText(atMs, zone, precision)}`
    : String(Math.floor(atMs / 1000));
}

/** Formats the time of day with its zone: `22:14:07Z`, `17:14:07 EST`, `23:14:07+01:00`. */
export function timeOfDayText(atMs: number, zone: string, precision: 'seconds' | 'minutes' = 'seconds'): string {
  return `${localText(atMs, zone).slice(11, precision === 'seconds' ? 19 : 16)}${zoneSuffix(atMs, zone)}`;
}

/** Formats a date and time in ISO 8601 with its offset, as one word for programs: `2026-11-20T17:14:07-05:00`. */
export function isoText(atMs: number, zone: string): string {
  const offsetMs = utcOffsetMs(atMs, zone);
  return `${localText(atMs, zone).slice(0, 19)}${offsetMs === 0 ? 'Z' : offsetText(offsetMs)}`;
}

/** Formats the local date, such as `2026-11-20`. */
export function dateText(atMs: number, zone: string): string {
  return localText(atMs, zone).slice(0, 10);
}

/** Returns the local time in ISO 8601 with milliseconds and without its zone, such as `2026-11-20T22:14:07.125`. */
function localText(atMs: number, zone: string): string {
  return isShownAsDate(atMs) ? new Date(atMs + utcOffsetMs(atMs, zone)).toISOString().slice(0, -1) : '----';
}

function isShownAsDate(atMs: number): boolean {
  return Math.abs(atMs) <= TIME_MAX_MS;
}

/**
 * Returns the suffix of a shown time that names the zone: `Z` for UTC, a space and an abbreviation such as ` EST` if
 * `readTime` parses it, otherwise an offset such as `+01:00`.
 */
function zoneSuffix(atMs: number, zone: string): string {
  if (zone === 'UTC' || !isShownAsDate(atMs)) return 'Z';
  const offsetMs = utcOffsetMs(atMs, zone);
  const key = `${zone} ${String(offsetMs)}`;
  const cached = suffixCache.get(key);
  if (cached !== undefined) return cached;
  const suffix = zoneAbbreviation(atMs, zone, offsetMs) ?? offsetText(offsetMs);
  if (suffixCache.size >= SUFFIXES_MAX) suffixCache.clear();
  suffixCache.set(key, suffix);
  return suffix;
}

/** Maximum number of cached suffixes, one per zone and offset. Few zones are in use. */
const SUFFIXES_MAX = 64;
const suffixCache = new Map<string, string>();

function zoneAbbreviation(atMs: number, zone: string, offsetMs: number): string | undefined {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  if (name === 'UTC') return 'Z';
  const named = timeZoneOf(name);
  return named === undefined || utcOffsetMs(atMs, named) !== offsetMs ? undefined : ` ${name}`;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  const [hours, remainder] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offsetMs < 0 ? '-' : '+'}${hours ?? ''}:${remainder ?? ''}`;
}
