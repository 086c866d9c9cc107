import { cronProblem, dateProblem } from '../cron.ts';
import { TIME_ZONE_HINT, timeZoneOf } from '../time-zone.ts';

/** A schedule with a time zone: `CRON_TZ=Europe/Berlin 0 8 * * *`. `TZ` is a shorter name for `CRON_TZ`. */
const ZONED_FORMAT = /^(?:CRON_)?TZ=(?<zone>\S+)\s+(?<rest>\S.*)$/;

/** An interval: `@every 1h30m`. Less than one second counts as one second. */
const INTERVAL_FORMAT = /^@every\s+(?<duration>\S+)$/;
const DURATION_FORMAT = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Maximum interval: a hundred years. */
const INTERVAL_SECONDS_MAX = 100 * 366 * 86_400;

/** A step such as `5/15`: every 15th value from 5 to the end of the field. */
const STEP_FROM = /^(?<from>\w+)\/(?<step>\d{1,4})$/;

/** The highest values of the five fields of a schedule. */
const FIELD_MAX = [59, 23, 31, 12, 6];

/** The parts of a v2 schedule. */
export interface V2Cron {
  /** IANA name or UTC offset of the time zone; undefined: the local time of the scheduling machine. */
  readonly zone?: string | undefined;
  /** Interval in seconds, for a schedule with `@every`; undefined for a schedule with calendar times. */
  readonly everySeconds?: number | undefined;
  /** The five fields, or a shorthand such as `@daily`; empty for an interval. */
  readonly fields: string;
}

/**
 * Splits a v2 schedule into its parts. The fields are not validated.
 *
 * @returns undefined if the time zone or the duration is invalid
 */
export function parseV2Cron(text: string): V2Cron | undefined {
  const { zone: named, rest: scheduleText } = ZONED_FORMAT.exec(text)?.groups ?? {};
  const zone = named === undefined ? undefined : timeZoneOf(named);
  if (named !== undefined && zone === undefined) return undefined;
  const fields = plainFields(scheduleText ?? text);
  const duration = INTERVAL_FORMAT.exec(fields)?.groups?.['duration'];
  if (duration === undefined) return { zone, fields };
  const everySeconds = secondsOf(duration);
  return everySeconds === undefined ? undefined : { zone, everySeconds, fields: '' };
}

/**
 * Validates a v2 schedule: a v1 schedule, optionally after a time zone, or `@every DURATION`.
 *
 * @returns an error message; undefined if the schedule is valid
 */
export function v2CronProblem(text: string): string | undefined {
  const parsed = parseV2Cron(text);
  if (parsed === undefined) {
    return `must be five fields, optionally after CRON_TZ=ZONE (${TIME_ZONE_HINT}), or @every with a duration such as 5m or 1h30m`;
  }
  if (parsed.everySeconds !== undefined) return undefined;
  if (!parsed.fields.startsWith('@') && parsed.fields.split(' ').length > FIELD_MAX.length) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week; there are no seconds';
  }
  return cronProblem(parsed.fields) ?? dateProblem(parsed.fields);
}

/**
 * Converts syntax that only Sensu Go has to that of v1: `?` to `*`, and a step from a value such as `5/15` to a range
 * with a step.
 */
function plainFields(text: string): string {
  const fields = text.trim().split(/\s+/);
  if (fields[0]?.startsWith('@') === true) return text;
  return fields
    .map((field, at) =>
      field
        .split(',')
        .map((item) => plainItem(item, at))
        .join(','),
    )
    .join(' ');
}

function plainItem(item: string, at: number): string {
  const { from, step } = STEP_FROM.exec(item)?.groups ?? {};
  if (from !== undefined) return `${from}-${String(FIELD_MAX[at] ?? '')}/${step ?? ''}`;
  return item.replace(/^\?(?=\/|$)/, '*');
}

function secondsOf(text: string): number | undefined {
  if (text.length > 64 || !DURATION_FORMAT.test(text)) return undefined;
  let seconds = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    seconds += Number(count) * (UNIT_SECONDS[unit] ?? 0);
  }
  return seconds > INTERVAL_SECONDS_MAX ? undefined : Math.max(1, Math.floor(seconds));
}
