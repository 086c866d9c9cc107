import { timeOfDayText, dateText, dateTimeText, isoText, type LocalClock } from '../../shared/domain/time-text.ts';
import { machineTimeZone } from '../../shared/schemas/time-zone.ts';

/*
 * Times as the console and monctl show and read them: in the zone of the process, which the variable TZ sets, unless
 * the user configured another zone.
 */

let configuredZone: string | undefined;

/**
 * Sets the zone of all times that are shown and read.
 *
 * @param zone as returned by `timeZoneOf`; `undefined` for the zone of the process
 */
export function configureZone(zone: string | undefined): void {
  configuredZone = zone;
}

let cachedZone: { readonly variable: string | undefined; readonly zone: string } | undefined;

/** Returns the zone of the times that are shown and read. */
export function localZone(): string {
  if (configuredZone !== undefined) return configuredZone;
  const { TZ: variable } = process.env;
  if (cachedZone?.variable !== variable || cachedZone === undefined) {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    cachedZone = { variable, zone: machineTimeZone(timeZone, new Date().getTimezoneOffset()) };
  }
  return cachedZone.zone;
}

/** Returns the clock of the user, for times that the user types. */
export function localClock(nowMs: number): LocalClock {
  return { nowMs, zone: localZone() };
}

/** Formats a date and time, such as `2026-11-20 22:14:07Z` or `2026-11-20 17:14:07 EST`. */
export function shownTime(atMs: number): string {
  return dateTimeText(atMs, localZone());
}

/** Formats a date and time without seconds, such as `2026-11-20 22:14Z`. */
export function shownMinute(atMs: number): string {
  return dateTimeText(atMs, localZone(), 'minutes');
}

/** Formats a time of day, such as `22:14:07Z` or `17:14 EST`. */
export function shownClock(atMs: number, precision: 'seconds' | 'minutes' = 'seconds'): string {
  return timeOfDayText(atMs, localZone(), precision);
}

/** Formats a time of day with its month and day, such as `11-20 22:14Z`. */
export function shownDayAndClock(atMs: number): string {
  return `${shownDate(atMs).slice(5)} ${shownClock(atMs, 'minutes')}`;
}

/** Formats the date on the user's calendar, such as `2026-11-20`. */
export function shownDate(atMs: number): string {
  return dateText(atMs, localZone());
}

/** Formats a date and time as one word, such as `2026-11-20T22:14:07Z` or `2026-11-20T17:14:07-05:00`. */
export function shownIso(atMs: number): string {
  return isoText(atMs, localZone());
}

/** Formats the start of a silence, without seconds if they are zero, so that it can be typed back. */
export function startText(seconds: number): string {
  return dateTimeText(seconds * 1000, localZone(), seconds % 60 === 0 ? 'minutes' : 'seconds');
}
