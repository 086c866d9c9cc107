import { z } from 'zod';

/** Valid values of `repeat` of a subdue window, as in Sensu Go from 6.7 on. */
const REPEAT_WORDS = [
  'annually',
  'monthly',
  'weekly',
  'daily',
  'weekdays',
  'weekends',
  'sundays',
  'mondays',
  'tuesdays',
  'wednesdays',
  'thursdays',
  'fridays',
  'saturdays',
] as const;

const WINDOWS_MAX = 100;

/** Maximum duration of a window. It limits the number of past days on which an active window may have begun. */
const WINDOW_MS_MAX = 366 * 86_400_000;

const TIME_FORMAT =
  /^(?<date>\d{4}-\d\d-\d\d)T(?<clock>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:[.,]\d{1,9})?(?<zone>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** A parsed time with the UTC offset that its text has. */
export interface WrittenTime {
  /** The time in epoch milliseconds, in whole seconds. */
  readonly atMs: number;
  /** Offset from UTC in milliseconds. */
  readonly offsetMs: number;
}

/**
 * Parses a time in the format of RFC 3339. Fractions of a second are dropped.
 *
 * @returns undefined if the text is not a date with a time and a UTC offset
 */
export function parseWrittenTime(text: string): WrittenTime | undefined {
  const { date, clock, zone } = TIME_FORMAT.exec(text)?.groups ?? {};
  if (date === undefined || clock === undefined || zone === undefined) return undefined;
  const wallMs = Date.parse(`${date}T${clock}Z`);
  // `Date.parse` reads a day that the month does not have as a day of the next month.
  if (Number.isNaN(wallMs) || !new Date(wallMs).toISOString().startsWith(date)) return undefined;
  const [hours = '0', minutes = '0'] = zone.toUpperCase() === 'Z' ? [] : zone.slice(1).split(':');
  const sign = zone.startsWith('-') ? -1 : 1;
  const offsetMs = sign * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { atMs: wallMs - offsetMs, offsetMs };
}

const timeSchema = z
  .string({ error: 'must be a time such as 2026-01-31T22:00:00+01:00' })
  .refine((text) => parseWrittenTime(text) !== undefined, 'must be a time such as 2026-01-31T22:00:00+01:00');

const windowSchema = z
  .looseObject({
    begin: timeSchema.describe('Start of the first window, with its UTC offset, such as `2026-01-05T22:00:00+01:00`.'),
    end: timeSchema.describe('End of the first window, inclusive. A window lasts at most a year.'),
    repeat: z
      .array(z.enum(REPEAT_WORDS, { error: `must be one of ${REPEAT_WORDS.join(', ')}` }))
      .max(REPEAT_WORDS.length)
      .nullish()
      .describe('The days on which the window repeats. Default: it occurs once.'),
  })
  .superRefine(({ begin, end }, context) => {
    const lengthMs = (parseWrittenTime(end)?.atMs ?? 0) - (parseWrittenTime(begin)?.atMs ?? 0);
    const message =
      lengthMs < 0 ? 'must not be before begin' : lengthMs > WINDOW_MS_MAX ? 'must be at most a year after begin' : '';
    if (message !== '') context.addIssue({ code: 'custom', message, path: ['end'] });
  });

/** Time windows in which a check is not run: `subdues` of Sensu Go 6.7 and later. */
export const subduesSchema = z.array(windowSchema).max(WINDOWS_MAX);

export type SubdueWindow = z.infer<typeof windowSchema>;
