import { DURATION_HINT, formatDuration, parseDuration } from '../../shared/domain/duration.ts';
import { MonError } from '../../shared/errors.ts';
import { shownTime } from '../words/shown-time.ts';

/** Latest time that is shown as a date, in epoch seconds: 9999 is the last year with four digits. */
const SECONDS_MAX = Date.UTC(9999, 11, 31) / 1000;

/**
 * Formats epoch seconds as a time such as `2026-11-20 12:00:00Z`; a number beyond the year 9999 is returned unchanged.
 */
export function timestamp(seconds: number): string {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > SECONDS_MAX) return String(seconds);
  return shownTime(seconds * 1000);
}

/** Formats epoch seconds as a time with its age, such as `2026-11-20 12:00:00Z (4m10s ago)`. */
export function timeWithAge(seconds: number, nowMs: number): string {
  return `${timestamp(seconds)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
}

/**
 * Parses a point in time: epoch seconds, a date and time (`2026-11-20T22:00`, local time unless it ends in a zone), or
 * a duration from now (`+2h`).
 *
 * @returns epoch seconds
 * @throws MonError `invalid` for any other text
 */
export function parseMoment(text: string, nowMs: number): number {
  return readMoment(text, nowMs) ?? refuse(text, '+2h');
}

/**
 * Parses a point in time in the past: a duration ago (`2h`), the latest occurrence of a time of day (`18:15:48`, local
 * time unless it ends in Z), or the formats of `parseMoment`.
 *
 * @returns epoch milliseconds
 * @throws MonError `invalid` for any other text
 */
export function parsePast(text: string, nowMs: number): number {
  const last = timeOfDay(text, nowMs, -1);
  if (last !== undefined) return last;
  // Digits alone are epoch seconds, as in `parseMoment`, and not a duration.
  const seconds = /^\d+$/.test(text) ? undefined : parseDuration(text);
  if (seconds !== undefined) return nowMs - seconds * 1000;
  return (readMoment(text, nowMs) ?? refuse(text, '22:00, 2h (ago)')) * 1000;
}

/** Tolerance for start times in the past, in seconds, so that a start in the current minute is accepted. */
const BEGIN_TOLERANCE_SECONDS = 60;

/**
 * Parses a start time: the next occurrence of a time of day (`22:00`, local time unless it ends in Z), a duration from
 * now (`2h`, `+2h`), or the formats of `parseMoment`.
 *
 * @returns epoch seconds
 * @throws MonError `invalid` for any other text, and for a time more than a minute in the past
 */
export function parseBegin(option: string, text: string, nowMs: number): number {
  const now = Math.floor(nowMs / 1000);
  const next = timeOfDay(text, nowMs, 1);
  if (next !== undefined) return Math.floor(next / 1000);
  const ahead = /^\d+$/.test(text) ? undefined : parseDuration(text);
  const begin = ahead === undefined ? (readMoment(text, nowMs) ?? refuse(text, '22:00, 2h (from now)')) : now + ahead;
  if (begin < now - BEGIN_TOLERANCE_SECONDS) {
    throw new MonError(
      'invalid',
      `${option} ${JSON.stringify(text)} is ${formatDuration(now - begin)} in the past: omit ${option} to start now`,
    );
  }
  return begin;
}

/**
 * Parses a text in one of the formats of `parseMoment`.
 *
 * @returns epoch seconds; `undefined` for any other text
 */
function readMoment(text: string, nowMs: number): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const ahead = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (ahead !== undefined) return Math.floor(nowMs / 1000) + ahead;
  // The pattern is stricter than `Date.parse`, which also accepts `1` and `May` as dates.
  const date = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  if (date === null) return undefined;
  const [, day = '', time = '00:00', zone = ''] = date;
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isFinite(ms) && ms >= 0 ? Math.floor(ms / 1000) : undefined;
}

function refuse(text: string, also: string): never {
  throw new MonError(
    'invalid',
    `${JSON.stringify(text)} is not a time: use 2026-11-20T22:00 (local time), 2026-11-20T22:00Z, ${also} or epoch seconds`,
  );
}

/**
 * Parses a time of day such as `22:00` or `18:15:48Z`.
 *
 * @param direction -1 for its latest occurrence, which may be now; 1 for its next occurrence, which may be up to a
 * minute ago
 * @returns epoch milliseconds; `undefined` for any other text
 */
function timeOfDay(text: string, nowMs: number, direction: -1 | 1): number | undefined {
  const [, hours, minutes, seconds = '0', zone] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(Z)?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const time = [Number(hours), Number(minutes), Number(seconds), 0] as const;
  const isWrong = (ms: number): boolean =>
    direction === -1 ? ms > nowMs : ms <= nowMs - BEGIN_TOLERANCE_SECONDS * 1000;
  const at = new Date(nowMs);
  if (zone !== undefined) {
    at.setUTCHours(...time);
    if (isWrong(at.getTime())) at.setUTCDate(at.getUTCDate() + direction);
    return at.getTime();
  }
  if (!isWrong(at.setHours(...time))) return at.getTime();
  // The date changes by a calendar day and not by 24 hours, because a day with a clock change is shorter or longer.
  at.setDate(at.getDate() + direction);
  return at.setHours(...time);
}

/**
 * Parses a duration of at least one second.
 *
 * @returns seconds
 * @throws MonError `invalid` that names the option
 */
export function parseLifetime(option: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined || seconds < 1) {
    throw new MonError(
      'invalid',
      `${option} must be at least one second, not ${JSON.stringify(text)}: ${DURATION_HINT}`,
    );
  }
  return seconds;
}
