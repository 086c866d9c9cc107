import { z } from 'zod';

const DURATION_TEXT =
  /^(?=\d)(?:(?<w>\d{1,4})w)?(?:(?<d>\d{1,5})d)?(?:(?<h>\d{1,6})h)?(?:(?<m>\d{1,8})m)?(?:(?<s>\d{1,9})s)?$/;
const UNIT_SECONDS = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 } as const;

/** Describes the values that `durationSchema` accepts, for the generated reference. */
export const DURATION_VALUE = 'number of seconds, or a duration such as `10m`';

/**
 * Returns the schema of a duration in a configuration: a number of seconds, or a text such as `90s`, `10m` or `1h30m`.
 * It is parsed to seconds.
 *
 * @param secondsMin minimum number of seconds
 * @param secondsMax maximum number of seconds
 */
export function durationSchema(secondsMin: number, secondsMax: number): z.ZodType<number, number | string> {
  const error = 'must be a number of seconds, or a duration such as 10m or 1h30m';
  return z
    .union([z.number(), z.string()], { error })
    .transform((value, context) => {
      const seconds = typeof value === 'number' ? value : secondsOf(value);
      if (seconds !== undefined) return seconds;
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    })
    .pipe(
      z
        .number()
        .min(secondsMin, `must be at least ${String(secondsMin)} seconds`)
        .max(secondsMax, `must be at most ${String(secondsMax)} seconds`),
    );
}

function secondsOf(text: string): number | undefined {
  const counts = DURATION_TEXT.exec(text)?.groups;
  if (counts === undefined) return undefined;
  return Object.entries(UNIT_SECONDS).reduce((sum, [unit, seconds]) => sum + Number(counts[unit] ?? 0) * seconds, 0);
}
