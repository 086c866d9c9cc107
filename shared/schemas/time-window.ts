import { z } from 'zod';
import { TIME_ZONE_HINT, timeZoneOf } from './time-zone.ts';

/** A time of day in a time window: `5:00 PM`, `17:00`, `11:59:59 PM`, `22:30 UTC` (completion 1.13). */
const TIME_OF_DAY =
  /^(?<hour>\d{1,2})(?::(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?)?(?: ?(?<half>[AP]M)(?![A-Z]))?(?: ?(?<zone>[A-Z+-]\S*))?$/i;

const TIME_LENGTH_MAX = 80;
/** Maximum number of windows per day. */
const WINDOWS_MAX = 100;

export interface TimeOfDay {
  /** Seconds since local midnight; 86,400 is the midnight at the end of the day. */
  readonly seconds: number;
  /** Time zone as written; undefined: the local time of the program that evaluates the window. */
  readonly zone: string | undefined;
}

/**
 * Parses a time of day. The time zone is not validated.
 *
 * @returns undefined if the text is not a time of day
 */
export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const groups = TIME_OF_DAY.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const { minute, second = '0', half, zone } = groups;
  let hour = Number(groups['hour']);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  } else if (minute === undefined) {
    // An hour without minutes and without AM or PM is ambiguous.
    return undefined;
  }
  const seconds = hour * 3600 + Number(minute ?? '0') * 60 + Number(second);
  return seconds > 86_400 ? undefined : { seconds, zone };
}

/**
 * Returns the seconds from midnight to a time of day, in the zone of the text; undefined if the text is not a time of
 * day.
 */
export function secondsOfDay(text: string): number | undefined {
  return parseTimeOfDay(text)?.seconds;
}

const timeSchema = z
  .string()
  .max(TIME_LENGTH_MAX)
  .superRefine((text, context) => {
    const time = parseTimeOfDay(text);
    if (time === undefined) {
      context.addIssue({ code: 'custom', message: 'must be a time of day such as "5:00 PM" or "17:00"' });
    } else if (time.zone !== undefined && timeZoneOf(time.zone) === undefined) {
      context.addIssue({ code: 'custom', message: `"${time.zone}" is not a time zone: write ${TIME_ZONE_HINT}` });
    }
  });

const windowSchema = z
  .looseObject({
    begin: timeSchema.describe('Time of day at which the window begins, such as `17:00`, `5:00 PM` or `22:30 UTC`.'),
    end: timeSchema.describe(
      'Time of day at which the window ends, inclusive. Before `begin`, it is a time of the next day.',
    ),
  })
  .superRefine(({ begin, end }, context) => {
    const issue = (attribute: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [attribute], message });
    if (secondsOfDay(begin) === 86_400) issue('begin', 'must be a time of day such as "5:00 PM" or "17:00"');
    // Each time zone has its own midnight, so with two zones it would be unclear to which day the window belongs.
    const [beginZone, endZone] = [zoneOf(begin), zoneOf(end)];
    if (beginZone !== undefined && endZone !== undefined && beginZone !== endZone) {
      issue('end', 'must have the same time zone as begin: add the zone to both, or to none');
    }
  });

/**
 * Returns the time zone of a time of day, or `here` if it has none; undefined if the zone or the time is invalid, which
 * other checks report.
 */
function zoneOf(text: string): string | undefined {
  const time = parseTimeOfDay(text);
  return time !== undefined && time.zone === undefined ? 'here' : timeZoneOf(time?.zone ?? '');
}

const FORM_HINT = 'write {"days": {"all": [{"begin": "5:00 PM", "end": "9:00 AM"}]}}, or a day in place of "all"';

const windowsSchema = z.array(windowSchema, { error: `must be a list of windows: ${FORM_HINT}` }).max(WINDOWS_MAX);

const DAY_KEYS = ['all', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/**
 * Time windows by day of the week, for `subdue` of a check and `when` of a filter (reference 2.2.1, completion 1.13).
 * Without windows they never apply.
 */
export const timeWindowsSchema = z.looseObject({
  days: z
    .record(z.string(), windowsSchema, { error: `must be an object of days, each with its windows: ${FORM_HINT}` })
    .meta({ description: 'Windows by the day on which they begin: `all`, or `sunday` to `saturday`.', 'x-key': 'DAY' })
    .superRefine((days, context) => {
      for (const day of Object.keys(days)) {
        if ((DAY_KEYS as readonly string[]).includes(day)) continue;
        context.addIssue({
          code: 'custom',
          path: [day],
          message: `is not a day of the week: use one of ${DAY_KEYS.join(', ')}`,
        });
      }
    }),
});

export type TimeWindows = z.infer<typeof timeWindowsSchema>;
