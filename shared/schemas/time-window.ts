import { z } from 'zod';

/**
 * A time of day as people write it in windows (completion 1.13): `5:00 PM`, `17:00`, `11:59:59 PM`, `22:30 UTC`. Without
 * a zone it is the backend's local time.
 */
export const TIME_OF_DAY =
  /^(?<hour>\d{1,2})(?::(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?)?(?: ?(?<half>[AP]M))?(?: ?(?<zone>UTC|GMT|Z|[+-]\d\d:?\d\d))?$/i;

/** @returns seconds since midnight, in the zone of the text; undefined when it is no time of day */
export function secondsOfDay(text: string): number | undefined {
  const groups = TIME_OF_DAY.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const { minute, second = '0', half } = groups;
  let hour = Number(groups['hour']);
  if (half === undefined) {
    // A bare number could be anything.
    if (minute === undefined || hour > 23) return undefined;
  } else {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  }
  return hour * 3600 + Number(minute ?? '0') * 60 + Number(second);
}

const timeSchema = z
  .string()
  .max(40)
  .refine((text) => secondsOfDay(text) !== undefined, 'must be a time of day such as "5:00 PM" or "17:00"');

const windowsSchema = z
  .array(z.looseObject({ begin: timeSchema, end: timeSchema }))
  .min(1, 'must hold at least one window with begin and end');

const DAYS = ['all', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Windows of time by day, of a check's `subdue` and a filter's `when` (reference 2.2.1, completion 1.13). */
export const timeWindowsSchema = z.looseObject({
  days: z
    .record(z.string(), windowsSchema)
    .refine((days) => Object.keys(days).length > 0, `must name at least one day: ${DAYS.join(', ')}`)
    .superRefine((days, context) => {
      for (const day of Object.keys(days)) {
        if ((DAYS as readonly string[]).includes(day)) continue;
        context.addIssue({ code: 'custom', path: [day], message: `is no day: write one of ${DAYS.join(', ')}` });
      }
    }),
});

export type TimeWindows = z.infer<typeof timeWindowsSchema>;
