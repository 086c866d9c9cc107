import { z } from 'zod';
import { parseDay } from './calendar-day.ts';
import { parseSchedule, SCHEDULE_ZONE, WINDOW_SECONDS } from './schedule.ts';
import { TIME_ZONE_HINT, timeZoneOf } from './time-zone.ts';

const scheduleText = z
  .string()
  .min(1)
  .max(200)
  .superRefine((text, context) => {
    const schedule = parseSchedule(text);
    if ('problem' in schedule) context.addIssue({ code: 'custom', message: schedule.problem });
  });

const zoneText = z
  .string()
  .max(64)
  .superRefine((text, context) => {
    if (timeZoneOf(text) !== undefined) return;
    context.addIssue({ code: 'custom', message: `"${text}" is not a time zone: write ${TIME_ZONE_HINT}` });
  });

const dayText = z
  .string()
  .max(10)
  .superRefine((text, context) => {
    if (parseDay(text) === undefined) context.addIssue({ code: 'custom', message: 'must be a day such as 2026-12-31' });
  });

/** Descriptions of the attributes of a recurrence, in requests and responses. */
const RECURRENCE = {
  schedule: 'Start of each window: days and times such as `sat,sun 02:00` or `daily 06:00,18:00`, or five cron fields.',
  zone: 'Time zone of the schedule.',
  duration: 'Duration of each window.',
  first_day: 'First local day on which a window may start, such as `2026-12-31`. Default: no limit.',
  last_day: 'Last local day on which a window may start. Default: no limit.',
} as const;

/**
 * The recurrence of a silence (silencing 3). Unknown attributes are rejected, because a misspelled attribute would have
 * no effect.
 */
export const recurrenceSchema = z
  .strictObject({
    schedule: scheduleText.describe(RECURRENCE.schedule),
    zone: zoneText.nullish().meta({ description: RECURRENCE.zone, default: SCHEDULE_ZONE }),
    duration: z
      .int()
      .min(WINDOW_SECONDS.min)
      .max(WINDOW_SECONDS.max)
      .meta({ description: RECURRENCE.duration, 'x-unit': 'seconds' }),
    first_day: dayText.nullish().describe(RECURRENCE.first_day),
    last_day: dayText.nullish().describe(RECURRENCE.last_day),
  })
  .superRefine(({ first_day: first, last_day: last }, context) => {
    if (typeof first !== 'string' || typeof last !== 'string' || first <= last) return;
    context.addIssue({
      code: 'custom',
      path: ['last_day'],
      message: `is before first_day ${first}: swap the two days`,
    });
  });
export type SubmittedRecurrence = z.infer<typeof recurrenceSchema>;

/** A recurrence as it is stored, and as the API returns it. */
export const recurrenceResponse = z.object({
  schedule: z.string().describe(RECURRENCE.schedule),
  zone: z.string().describe(RECURRENCE.zone),
  duration: z.number().meta({ description: RECURRENCE.duration, 'x-unit': 'seconds' }),
  first_day: z.string().exactOptional().describe(RECURRENCE.first_day),
  last_day: z.string().exactOptional().describe(RECURRENCE.last_day),
});
export type Recurrence = Readonly<z.infer<typeof recurrenceResponse>>;

/** Effects of a change of the UTC offset (daylight saving time) on a window (silencing 3). */
const CLOCK_CHANGES = ['start_skipped', 'start_twice', 'during'] as const;

/** A window of a recurring silence, in a preview. */
export const windowResponse = z.object({
  /** Start and end of the window, in epoch seconds. */
  begin: z.number(),
  end: z.number(),
  /** How a change of the UTC offset affects the window; absent if it does not. */
  clock_change: z.enum(CLOCK_CHANGES).exactOptional(),
});
export type ShownWindow = Readonly<z.infer<typeof windowResponse>>;
