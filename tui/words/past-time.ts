import { parseDuration } from '../../shared/domain/duration.ts';
import { nextTimeOfDay } from './silence-times.ts';

/** Examples of the formats that `parsePastTime` accepts, for the message about an invalid moment. */
export const PAST_HINT = '03:12Z, 2h ago or 2026-11-21 03:12Z';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Parses a moment of the past: a time of day (its last occurrence), a duration before now, or a date and time. Times
 * are UTC, as everywhere in the console.
 *
 * @returns epoch milliseconds; `undefined` if the text has another form or the moment is in the future
 */
export function parsePastTime(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  const time = /^(\d\d?):(\d\d)(?::(\d\d))?Z?$/.exec(trimmed);
  if (time !== null) {
    const [hour, minute, second] = [Number(time[1]), Number(time[2]), Number(time[3] ?? 0)];
    if (hour > 23 || minute > 59 || second > 59) return undefined;
    return nextTimeOfDay(hour, minute, nowMs - DAY_MS - second * 1000) + second * 1000;
  }
  const ago = parseDuration(trimmed.replace(/\s+ago$/, ''));
  if (ago !== undefined) return nowMs - ago * 1000;
  const date = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)Z?$/.exec(trimmed);
  const atMs = date === null ? NaN : Date.parse(`${date[1] ?? ''}T${date[2] ?? ''}Z`);
  return atMs <= nowMs ? atMs : undefined;
}

/** Returns a moment in a format that `parsePastTime` accepts: `2026-11-21 03:12:40Z`. */
export function pastText(atMs: number): string {
  return new Date(atMs)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
