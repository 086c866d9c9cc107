/** Seconds in each unit that people may write, longest first. */
const UNITS = [
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map(UNITS);

/** What to tell somebody whose duration was not understood. */
export const DURATION_HINT = 'a duration is seconds or numbers with units, as in 90, 45s, 15m, 1h30m, 2d, 1w';

/**
 * Seconds of a duration as people write it: plain seconds (`90`) or numbers with units, the longest first and each at
 * most once (`1h30m`, `2d`, `1w3d`).
 *
 * @returns `undefined` when the text is not a duration, or is more than JavaScript can count exactly
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,16}$/.test(text)) return exact(Number(text));
  if (!/^(?:\d{1,16}[wdhms]){1,5}$/.test(text)) return undefined;
  let total = 0;
  let unitBefore = Infinity;
  for (const [, digits = '', unit = ''] of text.matchAll(/(\d+)([wdhms])/g)) {
    const seconds = UNIT_SECONDS.get(unit) ?? 0;
    // `30m1h` and `1h2h` are more often a slip than an intention.
    if (seconds >= unitBefore) return undefined;
    unitBefore = seconds;
    total += Number(digits) * seconds;
  }
  return exact(total);
}

/**
 * A duration in its two longest units, rounded down, which `parseDuration` reads again: `45s`, `4m10s`, `1h30m`, `3d`.
 *
 * @param seconds a negative one counts as none
 * @param parts most units to show; 1 gives the short form of a table, `1h`
 */
export function formatDuration(seconds: number, parts: 1 | 2 = 2): string {
  let rest = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, unitSeconds]) => rest >= unitSeconds);
  if (first === -1) return '0s';
  let text = '';
  // Neighbours only: after `3w` comes `2d`, never `5m`, which would claim a precision that the rest does not have.
  for (const [unit, unitSeconds] of UNITS.slice(first, first + parts)) {
    const count = Math.floor(rest / unitSeconds);
    rest -= count * unitSeconds;
    if (count > 0) text += `${String(count)}${unit}`;
  }
  return text;
}

function exact(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}
