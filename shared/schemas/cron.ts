const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const FIELD_COUNT = 5;

/**
 * Returns the five fields of a cron schedule. It expands a shorthand such as `@daily`, and drops a sixth field, which
 * has no meaning.
 */
export function fiveFields(text: string): string {
  return SHORTHANDS.get(text.toLowerCase()) ?? fieldsOf(text).slice(0, FIELD_COUNT).join(' ');
}

interface CronField {
  /** The name for error messages, with its article: `an hour`. */
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values, the first one for `min`. */
  readonly names?: readonly string[];
}

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Names of the days of the week. Index 0 is Sunday. */
export const WEEKDAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const WEEKDAY_ABBREVIATIONS = WEEKDAY_NAMES.map((name) => name.slice(0, 3));

const MINUTE_FIELD: CronField = { name: 'a minute', min: 0, max: 59 };
const HOUR_FIELD: CronField = { name: 'an hour', min: 0, max: 23 };
const DAY_FIELD: CronField = { name: 'a day of the month', min: 1, max: 31 };
const MONTH_FIELD: CronField = { name: 'a month', min: 1, max: 12, names: MONTH_NAMES };
/** The field for the day of the week, in which 0 and 7 are Sunday. */
const WEEKDAY_FIELD: CronField = { name: 'a day of the week', min: 0, max: 7, names: WEEKDAY_ABBREVIATIONS };

const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * An item of a comma-separated field: `*`, `*` with a step, a value, a range, or a range with a step. A step after a
 * single value is rejected (completion 1.13).
 */
const ITEM_FORMAT = /^(?:\*|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d{1,4}))?$/;

/**
 * Validates a schedule in cron syntax (completion 1.13): five fields (a sixth one is ignored), or a shorthand such as
 * `@daily`.
 *
 * @returns an error message that lists the valid values; undefined if the schedule is valid, even if its date never
 *   occurs
 */
export function cronProblem(text: string): string | undefined {
  if (text.startsWith('@')) {
    return SHORTHANDS.has(text.toLowerCase()) ? undefined : `must be one of ${[...SHORTHANDS.keys()].join(', ')}`;
  }
  const [minute, hour, day, month, weekday, ...extraFields] = fieldsOf(text);
  if (
    minute === undefined ||
    hour === undefined ||
    day === undefined ||
    month === undefined ||
    weekday === undefined ||
    extraFields.length > 1
  ) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week';
  }
  return (
    fieldProblem(minute, MINUTE_FIELD) ??
    fieldProblem(hour, HOUR_FIELD) ??
    fieldProblem(day, DAY_FIELD) ??
    fieldProblem(month, MONTH_FIELD) ??
    fieldProblem(weekday, WEEKDAY_FIELD)
  );
}

/**
 * Returns an error message if the date of a valid schedule never occurs, as in `0 0 31 2 *`; undefined otherwise.
 *
 * @param text schedule for which `cronProblem` returns undefined
 */
export function dateProblem(text: string): string | undefined {
  if (text.startsWith('@')) return undefined;
  const [, , day = '*', month = '*', weekday = '*'] = fieldsOf(text);
  // If the day of the month and the weekday are both restricted, one of them must match, and every weekday occurs.
  if (!weekday.startsWith('*') || hasDate(day, month)) return undefined;
  return `never occurs: there is no day ${day} in month ${month}`;
}

/** The times and days of a cron schedule, in local time. */
export interface CronDates {
  /** Times of day in minutes since midnight, in ascending order. */
  readonly times: readonly number[];
  /** Months, 1 to 12; undefined: every month. */
  readonly months: ReadonlySet<number> | undefined;
  /** Days of the month, 1 to 31; undefined: every day. If `weekdays` is set too, a day must match only one of them. */
  readonly monthDays: ReadonlySet<number> | undefined;
  /** Days of the week, 0 (Sunday) to 6; undefined: every day. */
  readonly weekdays: ReadonlySet<number> | undefined;
}

/**
 * Converts a cron schedule to its times and days.
 *
 * @param text schedule for which `cronProblem` returns undefined
 */
export function cronDates(text: string): CronDates {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = fieldsOf(fiveFields(text));
  const minutes = valuesOf(minute, MINUTE_FIELD);
  const named = (field: string, kind: CronField): ReadonlySet<number> | undefined =>
    field === '*' ? undefined : new Set(valuesOf(field, kind));
  const weekdays = named(weekday, WEEKDAY_FIELD);
  return {
    times: valuesOf(hour, HOUR_FIELD).flatMap((at) => minutes.map((past) => at * 60 + past)),
    months: named(month, MONTH_FIELD),
    monthDays: named(day, DAY_FIELD),
    weekdays: weekdays === undefined ? undefined : new Set([...weekdays].map((at) => at % 7)),
  };
}

/** Returns the values that a field selects, in ascending order. */
function valuesOf(text: string, field: CronField): number[] {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const range = rangeOf(item, field);
    const step = Number(/\/(\d+)$/.exec(item)?.[1] ?? '1');
    for (let at = range?.from ?? 0; at <= (range?.to ?? -1); at += step) values.add(at);
  }
  return [...values].toSorted((a, b) => a - b);
}

function fieldsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function fieldProblem(text: string, field: CronField): string | undefined {
  for (const item of text.split(',')) {
    const range = rangeOf(item, field);
    if (range === undefined) {
      const names = field.names === undefined ? '' : ` or ${field.names[0] ?? ''} to ${field.names.at(-1) ?? ''}`;
      return (
        `"${item.slice(0, 40)}" is not ${field.name}: write *, ${String(field.min)} to ${String(field.max)}${names}` +
        `, a range a-b, or a step */n or a-b/n with n up to ${String(stepMax(field))}`
      );
    }
  }
  return undefined;
}

function rangeOf(item: string, field: CronField): { readonly from: number; readonly to: number } | undefined {
  const groups = ITEM_FORMAT.exec(item)?.groups;
  if (groups === undefined) return undefined;
  const { from, to, step } = groups;
  if (step !== undefined && (Number(step) < 1 || Number(step) > stepMax(field))) return undefined;
  if (step !== undefined && from !== undefined && to === undefined) return undefined;
  if (from === undefined) return { from: field.min, to: field.max };
  const first = valueOf(from, field);
  const last = to === undefined ? first : valueOf(to, field);
  return first === undefined || last === undefined || first > last ? undefined : { from: first, to: last };
}

/**
 * Returns the maximum step of a field. A larger step exceeds the range of the field at once, so it is likely a mistake.
 */
function stepMax(field: CronField): number {
  return field === WEEKDAY_FIELD ? 7 : field.max - field.min + 1;
}

function valueOf(text: string, { min, max, names }: CronField): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return min + named;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

/**
 * True if one of the months has one of the days. Of a range, only the first day matters, because it is the smallest.
 */
function hasDate(days: string, months: string): boolean {
  const first = Math.min(...days.split(',').map((item) => rangeOf(item, DAY_FIELD)?.from ?? DAY_FIELD.max));
  return months.split(',').some((item) => {
    const range = rangeOf(item, MONTH_FIELD) ?? { from: MONTH_FIELD.min, to: MONTH_FIELD.max };
    return DAYS_OF_MONTHS.slice(range.from - 1, range.to).some((length) => first <= length);
  });
}
