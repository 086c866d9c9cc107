import { parseTimeOfDay, type TimeWindows } from '../schemas/time-window.ts';
import { timeZoneOf } from '../schemas/time-zone.ts';
import { localTime } from './local-time.ts';

/** A window of time that repeats daily or weekly, in local time. */
export interface TimeWindow {
  /** 0 is Sunday. */
  readonly weekday: number | 'all';
  /** Seconds since midnight; begin and end are inclusive. */
  readonly begin: number;
  readonly end: number;
  /** Time zone; if undefined, `isInWindow` uses the zone that its caller passes. */
  readonly zone: string | undefined;
}

const WEEKDAY_KEYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * Converts time windows from their validated form in a definition.
 *
 * @throws TypeError if a time of day is invalid, because the definition was not validated
 */
export function parseTimeWindows({ days }: TimeWindows): TimeWindow[] {
  return Object.entries(days).flatMap(([day, windows]) =>
    windows.map((window) => {
      const begin = parseTimeOfDay(window.begin);
      const end = parseTimeOfDay(window.end);
      if (begin === undefined || end === undefined)
        throw new TypeError('internal error: invalid time of day in a time window');
      return {
        weekday: day === 'all' ? day : WEEKDAY_KEYS.indexOf(day),
        begin: begin.seconds,
        end: end.seconds,
        zone: begin.zone === undefined ? undefined : timeZoneOf(begin.zone),
      };
    }),
  );
}

/** Whether a window extends past midnight, because its end is before its begin. */
export function wrapsMidnight({ begin, end }: Pick<TimeWindow, 'begin' | 'end'>): boolean {
  return end < begin;
}

/**
 * Whether a time is in one of the windows. A window whose end is before its begin extends past midnight into the next
 * day (completion, Decisions). If clocks are set forward, the skipped local times do not occur, so a window can be
 * shorter. If they are set back, local times occur twice, so it can be longer.
 *
 * @param zone time zone for windows without their own, as returned by `timeZoneOf`
 */
export function isInWindow(windows: readonly TimeWindow[], nowMs: number, zone: string): boolean {
  const walls = new Map<string, WallTime>();
  return windows.some((window) => {
    const windowZone = window.zone ?? zone;
    const wall = walls.get(windowZone) ?? wallTime(nowMs, windowZone);
    walls.set(windowZone, wall);
    return isWallTimeInWindow(window, wall);
  });
}

interface WallTime {
  readonly weekday: number;
  readonly seconds: number;
}

function wallTime(nowMs: number, zone: string): WallTime {
  const { weekday, hour, minute, second } = localTime(nowMs, zone);
  return { weekday, seconds: hour * 3600 + minute * 60 + second };
}

function isWallTimeInWindow(window: TimeWindow, { weekday, seconds }: WallTime): boolean {
  if (!wrapsMidnight(window))
    return appliesOnWeekday(window, weekday) && window.begin <= seconds && seconds <= window.end;
  const yesterday = (weekday + 6) % 7;
  return (
    (appliesOnWeekday(window, weekday) && seconds >= window.begin) ||
    (appliesOnWeekday(window, yesterday) && seconds <= window.end)
  );
}

function appliesOnWeekday(window: TimeWindow, weekday: number): boolean {
  return window.weekday === 'all' || window.weekday === weekday;
}
