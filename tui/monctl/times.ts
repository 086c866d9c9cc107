import { DURATION_HINT, formatDuration, parseDuration } from '../../shared/domain/duration.ts';
import { MonError } from '../../shared/errors.ts';
import { pastText } from '../words/past-time.ts';

/** Maximum time that can be shown: 9999 is the last year with four digits. */
const SECONDS_MAX = Date.UTC(9999, 11, 31) / 1000;

/** Returns a time such as `2026-11-20 12:00:00Z`. */
export function timestamp(seconds: number): string {
  if (!Number.isFinite(seconds) || Math.abs(seconds) > SECONDS_MAX) return String(seconds);
  return pastText(seconds * 1000);
}

/** Returns a time such as `2026-11-20 12:00:00Z (4m10s ago)`. */
export function ago(seconds: number, nowMs: number): string {
  return `${timestamp(seconds)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
}

/**
 * Parses a moment: epoch seconds, a date and time (`2026-11-20T22:00`, local time unless it ends in a zone), or
 * a duration from now (`+2h`).
 *
 * @returns epoch seconds
 * @throws MonError `invalid`
 */
export function parseMoment(text: string, nowMs: number): number {
  return readMoment(text, nowMs) ?? refuse(text, '+2h');
}

/**
 * Parses a moment of the past: a duration ago (`2h`), a time of day (`18:15:48`, the last one, local time
 * unless it ends in Z), or the formats of `parseMoment`.
 *
 * @returns epoch milliseconds
 * @throws MonError `invalid`
 */
export function parsePast(text: string, nowMs: number): number {
  const last = timeOfDay(text, nowMs, -1);
  if (last !== undefined) return last;
  // Digits alone are epoch seconds, as for all moments.
  const seconds = /^\d+$/.test(text) ? undefined : parseDuration(text);
  if (seconds !== undefined) return nowMs - seconds * 1000;
  return (readMoment(text, nowMs) ?? refuse(text, '22:00, 2h (ago)')) * 1000;
}

/** A begin in the current minute is not in the past. */
const BEGIN_TOLERANCE_SECONDS = 60;

/**
 * Parses a moment in the future: a time of day (`22:00`, the next one, local time unless it ends in Z), a
 * duration from now (`2h`, `+2h`), or the formats of `parseMoment`.
 *
 * @returns epoch seconds
 * @throws MonError `invalid`, also for a moment of the past
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

/** Returns epoch seconds; `undefined` if the text is not a moment. */
function readMoment(text: string, nowMs: number): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const ahead = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (ahead !== undefined) return Math.floor(nowMs / 1000) + ahead;
  // Stricter than `Date.parse`, whose result for `1` or `May` is never intended.
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
 * Returns the epoch milliseconds of a time of day.
 *
 * @param direction -1: the last one, which may be now; 1: the next one, which may be the current minute
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
  // Uses the calendar, because the previous or next day may not have 24 hours.
  at.setDate(at.getDate() + direction);
  return at.setHours(...time);
}

/**
 * Parses a lifetime of at least one second.
 *
 * @returns seconds
 * @throws MonError `invalid`
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
