/** Seconds of each unit of a duration, longest first. */
const UNITS = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map(UNITS);

/** Hint in the error message for a duration that could not be parsed. */
export const DURATION_HINT = 'a duration is seconds or numbers with units, as in 90, 45s, 15m, 1h30m, 2d, 1w';

/**
 * Parses a duration: plain seconds (`90`) or numbers with units, the longest first and each at most once (`1h30m`,
 * `2d`, `1w3d`).
 *
 * @returns seconds; `undefined` if the text is not a duration or the number is too large to be exact
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,16}$/.test(text)) return exact(Number(text));
  if (!/^(?:\d{1,16}[wdhms]){1,5}$/.test(text)) return undefined;
  let total = 0;
  let unitBefore = Infinity;
  for (const [, digits = '', unit = ''] of text.matchAll(/(\d+)([wdhms])/g)) {
    const seconds = UNIT_SECONDS.get(unit) ?? 0;
    // `30m1h` and `1h2h` are more likely mistakes than intentional.
    if (seconds >= unitBefore) return undefined;
    unitBefore = seconds;
    total += Number(digits) * seconds;
  }
  return exact(total);
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
  const first = UNITS.findIndex(([, unitSeconds]) => remaining >= unitSeconds);
  if (first === -1) return '0s';
  let text = '';
  // Only adjacent units are combined: `3w2d`, but not `3w5m`, because the days between them would be omitted.
  for (const [unit, unitSeconds] of UNITS.slice(first, first + parts)) {
    const count = Math.floor(remaining / unitSeconds);
    remaining -= count * unitSeconds;
    if (count > 0) text += `${String(count)}${unit}`;
  }
  return text;
}

function exact(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}
