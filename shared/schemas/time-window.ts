import { z } from 'zod';
import { TIME_ZONE_HINT, timeZoneOf } from './time-zone.ts';

/** A time of day in a window (completion 1.13): `5:00 PM`, `17:00`, `11:59:59 PM`, `22:30 UTC`. */
const TIME_OF_DAY =
  /^(?<hour>\d{1,2})(?::(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?)?(?: ?(?<half>[AP]M)(?![A-Z]))?(?: ?(?<zone>[A-Z+-]\S*))?$/i;

const TIME_LENGTH_MAX = 80;
/** Maximum number of windows per day. */
const WINDOWS_MAX = 100;

export interface TimeOfDay {
  /** Local seconds since midnight, up to 86,400 for the midnight that ends the day. */
  readonly seconds: number;
  /** Zone as written; undefined: the local time of the reader. */
  readonly zone: string | undefined;
}

/** @returns undefined if the text is no time of day; the zone is not validated */
export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const groups = TIME_OF_DAY.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const { minute, second = '0', half, zone } = groups;
  let hour = Number(groups['hour']);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  } else if (minute === undefined) {
    // A number without minutes or AM/PM is ambiguous.
    return undefined;
  }
  const seconds = hour * 3600 + Number(minute ?? '0') * 60 + Number(second);
  return seconds > 86_400 ? undefined : { seconds, zone };
}

/** @returns seconds since midnight, in the zone of the text; undefined if it is no time of day */
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

const windowSchema = z.looseObject({ begin: timeSchema, end: timeSchema }).superRefine(({ begin, end }, context) => {
  const issue = (attribute: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [attribute], message });
  if (secondsOfDay(begin) === 86_400) issue('begin', 'must be a time of day such as "5:00 PM" or "17:00"');
  // Days begin at different moments in each zone, so with two zones the day of the window would be ambiguous.
  const [beginZone, endZone] = [zoneOf(begin), zoneOf(end)];
  if (beginZone !== undefined && endZone !== undefined && beginZone !== endZone) {
    issue('end', 'must have the same time zone as begin: add the zone to both, or to none');
  }
});

/** Returns the zone of a time; undefined if it is invalid, which is reported elsewhere. */
function zoneOf(text: string): string | undefined {
  const time = parseTimeOfDay(text);
  return time !== undefined && time.zone === undefined ? 'here' : timeZoneOf(time?.zone ?? '');
}

const FORM = 'write {"days": {"all": [{"begin": "5:00 PM", "end": "9:00 AM"}]}}, or a day in place of "all"';

const windowsSchema = z.array(windowSchema, { error: `must be a list of windows: ${FORM}` }).max(WINDOWS_MAX);

const DAYS = ['all', 'sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/**
 * Windows by day, for `subdue` of a check and `when` of a filter (reference 2.2.1, completion 1.13); without windows:
 * never.
 */
export const timeWindowsSchema = z.looseObject({
  days: z
    .record(z.string(), windowsSchema, { error: `must be an object of days, each with its windows: ${FORM}` })
    .superRefine((days, context) => {
      for (const day of Object.keys(days)) {
        if ((DAYS as readonly string[]).includes(day)) continue;
        context.addIssue({
          code: 'custom',
          path: [day],
          message: `is not a day of the week: use one of ${DAYS.join(', ')}`,
        });
      }
    }),
});

export type TimeWindows = z.infer<typeof timeWindowsSchema>;
