import { parseDuration } from '../../shared/domain/duration.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Examples of the formats that `parseStart` accepts, for the message about an invalid start. */
export const START_HINT = '22:30Z, 2026-11-21 22:30Z or +2h';

/**
 * Parses the start of a silence: a time of day (its next occurrence), a date and time, or a duration from now. Times
 * are UTC, as everywhere in the console.
 *
 * @returns epoch seconds; `undefined` if the text has another form or the start is in the past
 */
export function parseStart(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  const ahead = trimmed.startsWith('+') ? parseDuration(trimmed.slice(1)) : undefined;
  if (ahead !== undefined) return Math.floor(nowMs / 1000) + ahead;
  const time = /^(\d\d?):(\d\d)Z?$/.exec(trimmed);
  if (time !== null) {
    const [hour, minute] = [Number(time[1]), Number(time[2])];
    return hour < 24 && minute < 60 ? nextTimeOfDay(hour, minute, nowMs) / 1000 : undefined;
  }
  const date = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)Z?$/.exec(trimmed);
  const atMs = date === null ? NaN : Date.parse(`${date[1] ?? ''}T${date[2] ?? ''}Z`);
  return atMs >= nowMs ? atMs / 1000 : undefined;
}

/** Returns the start of a silence in a format that `parseStart` accepts: `2026-11-21 22:30Z`. */
export function startText(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .replace('T', ' ')
    .replace(/(?::00)?\.\d+Z$/, 'Z');
}

/** Returns the first moment after `afterMs` with this time of day in UTC, in epoch milliseconds. */
export function nextTimeOfDay(hour: number, minute: number, afterMs: number): number {
  const midnight = Math.floor(afterMs / DAY_MS) * DAY_MS;
  const today = midnight + (hour * 60 + minute) * MINUTE_MS;
  return today > afterMs ? today : today + DAY_MS;
}
