import { countWithNoun } from './count-text.ts';
import { DURATION_HINT, parseDuration, UNIT_SECONDS } from '../schemas/parse-duration.ts';

const UNIT_NOUNS: Readonly<Record<string, string>> = { w: 'week', d: 'day', h: 'hour', m: 'minute', s: 'second' };

/**
 * Parses a duration that a person typed. A number without a unit is a problem, because people mean minutes as often as
 * seconds.
 *
 * @returns seconds, or what is wrong and what to write instead
 */
export function readDuration(text: string): { readonly seconds: number } | { readonly problem: string } {
  const trimmed = text.trim().replaceAll(/\s+/g, ' ');
  if (/^\d+$/.test(trimmed)) return { problem: unitQuestion(trimmed) };
  const seconds = parseDuration(trimmed);
  return seconds === undefined
    ? { problem: `${JSON.stringify(text)} is not a duration: ${DURATION_HINT}` }
    : { seconds };
}

/** Returns the question to ask for a number without a unit, such as `30 of what? write 30m`. */
export function unitQuestion(number: string): string {
  return `${number} of what? write ${number}m for minutes, ${number}h for hours or ${number}s for seconds`;
}

/**
 * Formats a duration in its two longest units, rounded down, so that `parseDuration` can read it: `45s`, `4m10s`,
 * `1h30m`, `3d`.
 *
 * @param seconds the duration; a negative one is shown as `0s`
 * @param parts maximum number of units; 1 gives the short form of a table, `1h`
 */
export function formatDuration(seconds: number, parts: 1 | 2 = 2): string {
  let remaining = Math.max(0, Math.floor(seconds));
  const first = UNIT_SECONDS.findIndex(([, unitSeconds]) => remaining >= unitSeconds);
  if (first === -1) return '0s';
  let text = '';
  // Only adjacent units are combined: `3w2d`, but not `3w5m`, because the days between them would be omitted.
  for (const [unit, unitSeconds] of UNIT_SECONDS.slice(first, first + parts)) {
    const count = Math.floor(remaining / unitSeconds);
    remaining -= count * unitSeconds;
    if (count > 0) text += `${String(count)}${unit}`;
  }
  return text;
}

/**
 * Formats a duration in words, such as `45 seconds`, `22 minutes`, `1 hour 30 minutes` or `3 days`. Seconds are shown
 * only if the duration is shorter than a minute.
 *
 * @param seconds the duration; a negative one is shown as `0 seconds`
 */
export function durationInWords(seconds: number): string {
  const parts = formatDuration(seconds, seconds < 3600 ? 1 : 2).matchAll(/(\d+)([a-z])/g);
  return [...parts]
    .map(([, count = '', unit = '']) => countWithNoun(Number(count), UNIT_NOUNS[unit] ?? unit))
    .join(' ');
}
