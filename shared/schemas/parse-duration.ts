/** Seconds of each unit of a duration, longest first. */
export const UNIT_SECONDS = [
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

function exactSeconds(seconds: number): number | undefined {
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}
