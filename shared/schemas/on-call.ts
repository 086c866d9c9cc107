import { z } from 'zod';
import { parseDay } from './calendar-day.ts';
import { mailAddressSchema } from './mail-address.ts';
import { nameSchema } from './name.ts';
import { weekdaysOf } from './schedule.ts';
import { TIME_ZONE_HINT, timeZoneOf } from './time-zone.ts';

/* Schedules define who is on call at which time, and people define which handlers notify a person (on-call 3). */

/** The prefix of a name that stands where a handler may stand: `on-call/database` means whoever is on call now. */
const ON_CALL_PREFIX = 'on-call/';

/** Returns the schedule that a name such as `on-call/database` refers to; undefined if it is another name. */
export function onCallScheduleOf(handlerName: string): string | undefined {
  return handlerName.startsWith(ON_CALL_PREFIX) ? handlerName.slice(ON_CALL_PREFIX.length) : undefined;
}

/** Returns the name that stands for whoever is on call for a schedule, such as `on-call/database`. */
export function onCallName(schedule: string): string {
  return `${ON_CALL_PREFIX}${schedule}`;
}

/** Maximum numbers of schedules, people and overrides of a backend. */
export const ON_CALL_LIMITS = { schedules: 200, people: 2000, overrides: 1000 } as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time of a handover: a time of day, on any day or on a day of the week. */
export interface Handover {
  /** 0 is Sunday; undefined for any day. */
  readonly weekday: number | undefined;
  /** Milliseconds since midnight. */
  readonly timeMs: number;
}

const TIME = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d`;
const HANDOVER = new RegExp(String.raw`^(?:(?<day>[a-z]+) )?(?<time>${TIME})$`);
const HANDOVER_HINT = 'must be a time such as 09:00, or a day and a time such as mon 09:00';

/** Parses the time of a handover: `09:00` or `mon 09:00`. */
export function parseHandover(text: string): Handover | undefined {
  const { day, time } = HANDOVER.exec(words(text))?.groups ?? {};
  if (time === undefined) return undefined;
  if (day === undefined) return { weekday: undefined, timeMs: timeOfDayMs(time) };
  const days = weekdaysOf(day);
  if (typeof days === 'string' || days.size !== 1) return undefined;
  const [weekday] = days;
  return { weekday, timeMs: timeOfDayMs(time) };
}

const EVERY = /^(?<count>\d{1,3}) ?(?<unit>hour|day|week)s?$/;
const UNITS_MS: Readonly<Record<string, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
const EVERY_MAX_MS = 52 * 7 * DAY_MS;
const EVERY_HINT = 'must be from 1 hour to 52 weeks, such as 12 hours, 2 days or 1 week';

/** Parses how long a shift lasts, such as `1 week` or `12 hours`. @returns milliseconds */
export function parseEvery(text: string): number | undefined {
  const { count, unit = '' } = EVERY.exec(words(text))?.groups ?? {};
  const everyMs = Number(count) * (UNITS_MS[unit] ?? NaN);
  return everyMs >= HOUR_MS && everyMs <= EVERY_MAX_MS ? everyMs : undefined;
}

/** A daily window of a layer, in local time: `endMs` may be on the next day. */
export interface HoursWindow {
  /** The days on which the window begins; 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Begin and end in milliseconds since midnight of the first day; the end is exclusive. */
  readonly beginMs: number;
  readonly endMs: number;
}

const HOURS_MAX = 14;
const HOURS = new RegExp(String.raw`^(?<days>[a-z-]+)(?: (?<begin>${TIME})-(?<end>${TIME}|24:00))?$`);
const HOURS_HINT = 'must be days, with or without hours, such as mon-fri 18:00-08:00, sat-sun';

/** Parses the hours of a layer, such as `mon-fri 18:00-08:00, sat-sun`. A day without hours is the whole day. */
export function parseHours(text: string): readonly HoursWindow[] | undefined {
  const items = words(text).split(/ ?, ?/);
  const windows = items.map(hoursWindowOf);
  return items.length > HOURS_MAX || windows.includes(undefined)
    ? undefined
    : windows.filter((window) => window !== undefined);
}

function hoursWindowOf(item: string): HoursWindow | undefined {
  const { days = '', begin = '00:00', end = '24:00' } = HOURS.exec(item)?.groups ?? {};
  const weekdays = weekdaysOf(days);
  if (typeof weekdays === 'string') return undefined;
  const [beginMs, endMs] = [timeOfDayMs(begin), timeOfDayMs(end)];
  return { weekdays, beginMs, endMs: endMs <= beginMs ? endMs + DAY_MS : endMs };
}

function words(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

function timeOfDayMs(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * HOUR_MS + minute * MINUTE_MS;
}

/** The schema of a text of at most 200 characters that `parse` accepts. */
function parsedText(parse: (text: string) => unknown, hint: string): z.ZodString {
  return z
    .string()
    .max(200)
    .refine((text) => parse(text) !== undefined, hint);
}

/** A person who can be on call: the section `people` of a configuration. */
export const personSchema = z.strictObject({
  email: mailAddressSchema.optional(),
  /** Names of the handlers that notify this person. */
  notify: z.array(z.string().min(1).max(255)).min(1).max(20),
  /** The user of this person in chats whose messages have buttons. */
  chat: z
    .strictObject({
      /** Member ID, such as U012AB3CD. Names are not accepted, because users can change them. */
      slack: z
        .string()
        .regex(/^[UW][A-Z0-9]{2,30}$/, 'must be a member ID such as U012AB3CD: see "Copy member ID" in the profile')
        .optional(),
      /** User ID or user name. */
      mattermost: z
        .string()
        .regex(/^[a-z0-9][-._a-z0-9]{0,63}$/, 'must be a user ID, or a user name without @')
        .optional(),
      /** Numeric user ID. */
      telegram: z.int().positive().optional(),
    })
    .optional(),
});
export type PersonDefinition = Readonly<z.infer<typeof personSchema>>;

const layerSchema = z.strictObject({
  /** Names of the people who take turns, in this order. */
  people: z.array(nameSchema).min(1).max(100),
  /** When one person hands over to the next: `mon 09:00` or `09:00`. Default: midnight. */
  handover: parsedText(parseHandover, HANDOVER_HINT).optional(),
  /** How long a shift lasts. Default: `1 week`. */
  every: parsedText(parseEvery, EVERY_HINT).optional(),
  /** The day on or after which the first person begins. Default: Monday, 2024-01-01. */
  starting: parsedText(parseDay, 'must be a day such as 2026-12-31').optional(),
  /** The hours in which the layer is active. Default: always. */
  hours: parsedText(parseHours, HOURS_HINT).optional(),
});
export type ScheduleLayer = Readonly<z.infer<typeof layerSchema>>;

/** A schedule: the section `schedules` of a configuration. Later layers override earlier ones. */
export const onCallScheduleSchema = z.strictObject({
  'time-zone': parsedText(timeZoneOf, `must be a time zone: ${TIME_ZONE_HINT}`).default('UTC'),
  layers: z.array(layerSchema).min(1).max(20),
});
export type ScheduleDefinition = Readonly<z.infer<typeof onCallScheduleSchema>>;

/** Maximum number of characters in the note of an override. */
const NOTE_LENGTH_MAX = 1000;
/** Maximum number of seconds from now, or from the begin of an override, until its end. */
export const OVERRIDE_SECONDS_MAX = 366 * 86_400;

/** Body of `POST /api/mon/v1/schedules/{schedule}/overrides`: puts a person on call. Times are in epoch seconds. */
export const newOverrideSchema = z.looseObject({
  person: nameSchema,
  /** Time at which the override begins; absent: now. */
  from: z.int().min(0).nullish(),
  /** Time at which the override ends. */
  until: z.int().min(0),
  note: z.string().max(NOTE_LENGTH_MAX).nullish(),
  /** Name of the user who creates the override, if the caller is not authenticated. */
  by: z.string().trim().min(1).max(255).nullish(),
});
export type NewOverride = z.infer<typeof newOverrideSchema>;

/**
 * Body of `POST /api/mon/v1/schedules/{schedule}/swaps`: two people exchange a shift. The shift of a person is the one
 * at the given time, or else the next one. Times are in epoch seconds.
 */
export const newSwapSchema = z.looseObject({
  person: nameSchema,
  other: nameSchema,
  /** A time in the shift of `person`, or before it; absent: now. */
  at: z.int().min(0).nullish(),
  /** A time in the shift of `other`, or before it; absent: now. */
  other_at: z.int().min(0).nullish(),
  note: z.string().max(NOTE_LENGTH_MAX).nullish(),
  /** Name of the user who swaps the shifts, if the caller is not authenticated. */
  by: z.string().trim().min(1).max(255).nullish(),
});
export type NewSwap = z.infer<typeof newSwapSchema>;

/** An override: a person who is on call in place of the layers of a schedule. Times are in epoch seconds. */
export const overrideResponse = z.looseObject({
  id: z.string(),
  schedule: z.string(),
  person: z.string(),
  from: z.number(),
  until: z.number(),
  /** Name of the user who created the override. */
  by: z.string(),
  note: z.string().exactOptional(),
  created_at: z.number(),
});

/** The two overrides of a swap: first `other` in the shift of `person`, then `person` in the shift of `other`. */
export const swapResponse = z.looseObject({ overrides: z.array(overrideResponse) });

/** The attributes of a dumped override; its id is the name in the metadata. */
export const dumpedOverrideSchema = z
  .strictObject({
    schedule: nameSchema,
    person: nameSchema,
    from: z.int().min(0),
    until: z.int().min(0),
    by: z.string().min(1).max(255),
    note: z.string().min(1).max(NOTE_LENGTH_MAX).exactOptional(),
    created_at: z.number().min(0),
  })
  .refine(({ from, until }) => until > from, 'until must be later than from')
  .refine(({ from, until }) => until - from <= OVERRIDE_SECONDS_MAX, 'until must be at most 366 days after from');

export interface OnCallOverride {
  readonly id: string;
  readonly schedule: string;
  readonly person: string;
  readonly from: number;
  readonly until: number;
  readonly by: string;
  readonly note?: string;
  readonly created_at: number;
}

/** The layer, counted from 1, or the id of the override because of which a person is on call. */
const sourceShape = { layer: z.number().exactOptional(), override: z.string().exactOptional() };

const shiftResponse = z.looseObject({ person: z.string(), from: z.number(), until: z.number(), ...sourceShape });

/** A schedule with the person on call. Times are in epoch seconds. */
const scheduleResponse = z.looseObject({
  name: z.string(),
  time_zone: z.string(),
  /** The person on call; null if nobody is. `until` is null if the shift has no end within 92 days. */
  on_call: z.looseObject({ person: z.string(), until: z.number().nullable(), ...sourceShape }).nullable(),
  /** The next shift after that; null if there is none within 92 days. */
  next: shiftResponse.nullable(),
  /** Names of the people of the schedule who have no defined handler. */
  unreachable: z.array(z.string()),
});
export type ScheduleView = z.infer<typeof scheduleResponse>;

const spansShape = {
  shifts: z.array(shiftResponse),
  gaps: z.array(z.looseObject({ from: z.number(), until: z.number() })),
  /** The overrides that have not ended. */
  overrides: z.array(overrideResponse),
};

/** A schedule with its shifts, and the spans of time in which nobody is on call. Times are in epoch seconds. */
export const scheduleDetailResponse = scheduleResponse.extend(spansShape);
export type ScheduleDetail = z.infer<typeof scheduleDetailResponse>;

/** A schedule in a list: with its shifts, gaps and overrides if the request has `days`. */
export const listedScheduleResponse = scheduleResponse.extend({
  shifts: spansShape.shifts.exactOptional(),
  gaps: spansShape.gaps.exactOptional(),
  overrides: spansShape.overrides.exactOptional(),
});
export type ListedSchedule = z.infer<typeof listedScheduleResponse>;
