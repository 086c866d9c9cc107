import { z } from 'zod';
import { parseDuration } from './parse-duration.ts';

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
      const seconds = typeof value === 'number' ? value : parseDuration(value);
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
