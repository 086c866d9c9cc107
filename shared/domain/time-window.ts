import { parseTimeOfDay, type TimeWindows } from '../schemas/time-window.ts';
import { timeZoneOf } from '../schemas/time-zone.ts';
import { localTime } from './local-time.ts';

/** A span of every day, or of one day of the week, on the clock on the wall. */
export interface TimeWindow {
  /** 0 is Sunday. */
  readonly weekday: number | 'all';
  /** Seconds since midnight; both seconds belong to the window. */
  readonly begin: number;
  readonly end: number;
  /** Undefined: the zone of whoever asks. */
  readonly zone: string | undefined;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The windows of a definition that its schema has let pass.
 *
 * @throws TypeError when it has not
 */
export function parseTimeWindows({ days }: TimeWindows): TimeWindow[] {
  return Object.entries(days).flatMap(([day, windows]) =>
    windows.map((window) => {
      const begin = parseTimeOfDay(window.begin);
      const end = parseTimeOfDay(window.end);
      if (begin === undefined || end === undefined) throw new TypeError('a time of day was not validated');
      return {
        weekday: day === 'all' ? day : WEEKDAYS.indexOf(day),
        begin: begin.seconds,
        end: end.seconds,
        zone: begin.zone === undefined ? undefined : timeZoneOf(begin.zone),
      };
    }),
  );
}

/** Whether a window ends on the day after the one that it is named after. */
export function wrapsMidnight({ begin, end }: Pick<TimeWindow, 'begin' | 'end'>): boolean {
  return end < begin;
}

/**
 * Whether a moment lies in one of the windows. A window whose end is before its begin starts on its day and runs past
 * midnight into the next one (completion, Decisions). When clocks are set forward, what they skip is in no window; when
 * they are set back, what they show twice is in a window twice.
 *
 * @param zone where windows are that name no zone, as `timeZoneOf` gives it
 */
export function isInWindow(windows: readonly TimeWindow[], nowMs: number, zone: string): boolean {
  const walls = new Map<string, WallTime>();
  return windows.some((window) => {
    const place = window.zone ?? zone;
    const wall = walls.get(place) ?? wallTime(nowMs, place);
    walls.set(place, wall);
    return holds(window, wall);
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

function holds(window: TimeWindow, { weekday, seconds }: WallTime): boolean {
  if (!wrapsMidnight(window)) return isOn(window, weekday) && window.begin <= seconds && seconds <= window.end;
  const yesterday = (weekday + 6) % 7;
  return (isOn(window, weekday) && seconds >= window.begin) || (isOn(window, yesterday) && seconds <= window.end);
}

function isOn(window: TimeWindow, weekday: number): boolean {
  return window.weekday === 'all' || window.weekday === weekday;
}
