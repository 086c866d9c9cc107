import { countWithNoun } from './count-text.ts';

/** Seconds of each unit of a duration, longest first. */
const UNIT_SECONDS = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** Names of the units, as words may spell them. */
const UNIT_NAMES: Readonly<Record<(typeof UNIT_SECONDS)[number][0], string>> = {
  w: 'w|weeks?',
  d: 'd|days?',
  h: 'h|hrs?|hours?',
  m: 'm|mins?|minutes?',
  s: 's|secs?|seconds?',
};

const UNIT_NOUNS: Readonly<Record<string, string>> = { w: 'week', d: 'day', h: 'hour', m: 'minute', s: 'second' };

/** Numbers with units, the longest first and each at most once, because `30m1h` and `1h2h` are likely mistakes. */
const DURATION_FORMAT = new RegExp(
  `^${UNIT_SECONDS.map(([unit]) => String.raw`(?:(\d{1,16}) ?(?:${UNIT_NAMES[unit]})(?![a-z]) ?)?`).join('')}$`,
);

/** Hint in the error message for a duration that could not be parsed. */
export const DURATION_HINT = 'write a duration such as 45s, 15m, 1h30m, 2d or 90 minutes';

/**
 * Parses a duration in a place that documents seconds as the default unit: plain seconds (`90`), or numbers with units,
 * the longest first and each at most once (`1h30m`, `2d`, `1w3d`, `90 minutes`).
 *
 * @returns seconds; `undefined` if the text is not a duration or the number is too large to be exact
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,16}$/.test(text)) return exactSeconds(Number(text));
  const counts = text === '' ? null : DURATION_FORMAT.exec(text);
  if (counts === null) return undefined;
  return exactSeconds(
    UNIT_SECONDS.reduce((total, [, seconds], index) => total + Number(counts[index + 1] ?? 0) * seconds, 0),
  );
}

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

function exactSeconds(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}
