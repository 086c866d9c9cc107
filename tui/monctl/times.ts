import { formatDuration, readDuration } from '../../shared/domain/duration.ts';
import { DURATION_HINT, parseDuration } from '../../shared/schemas/parse-duration.ts';
import { readStartTime, readTime, type ReadTime } from '../../shared/domain/time-text.ts';
import { MonError } from '../../shared/errors.ts';
import { localClock, shownTime } from '../words/shown-time.ts';

/**
 * Formats epoch seconds as a time such as `2026-11-20 12:00:00Z`; a number beyond the year 9999 is returned unchanged.
 */
export function timestampText(seconds: number): string {
  return shownTime(seconds * 1000);
}

/** Formats epoch seconds as a time with its age, such as `2026-11-20 12:00:00Z (4m10s ago)`. */
export function timeWithAge(seconds: number, nowMs: number): string {
  return `${timestampText(seconds)} (${formatDuration(nowMs / 1000 - seconds)} ago)`;
}

/**
 * Parses a time in the past, as `readTime` does.
 *
 * @returns epoch milliseconds
 * @throws MonError `invalid` for any other text
 */
export function parsePast(text: string, nowMs: number): number {
  return momentOf(readTime(text, localClock(nowMs), 'past'));
}

/**
 * Parses a start time, as `readStartTime` does.
 *
 * @returns epoch seconds
 * @throws MonError `invalid` for any other text, and for a time more than a minute in the past
 */
export function parseBegin(option: string, text: string, nowMs: number): number {
  return Math.floor(momentOf(readStartTime(text, localClock(nowMs)), `${option} `) / 1000);
}

/**
 * Parses a time as `readTime` does. A duration, a time of day and a day of the week are in the future.
 *
 * @param option the option that the error message names
 * @returns epoch milliseconds
 * @throws MonError `invalid` for any other text
 */
export function parseTime(option: string, text: string, nowMs: number): number {
  return momentOf(readTime(text, localClock(nowMs), 'future'), `${option} `);
}

function momentOf(time: ReadTime, prefix = ''): number {
  if (time.problem !== undefined) throw new MonError('invalid', `${prefix}${time.problem}`);
  return time.atMs;
}

/**
 * Parses a duration of at least one second.
 *
 * @param option the option or operand that the error message names
 * @param bareUnit `seconds` if a number without a unit is seconds: options that are named after an attribute of the API
 * @returns seconds
 * @throws MonError `invalid` that names the option
 */
export function parseLifetime(option: string, text: string, bareUnit?: 'seconds'): number {
  const bareSeconds = bareUnit === undefined ? undefined : parseDuration(text);
  const read = bareSeconds === undefined ? readDuration(text) : { seconds: bareSeconds };
  if ('problem' in read) throw new MonError('invalid', `${option} ${read.problem}`);
  if (read.seconds < 1) {
    throw new MonError(
      'invalid',
      `${option} must be at least one second, not ${JSON.stringify(text)}: ${DURATION_HINT}`,
    );
  }
  return read.seconds;
}
