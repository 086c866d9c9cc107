import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { parseTimeOfDay } from '../../shared/schemas/time-window.ts';
import { timeZoneOf } from '../../shared/schemas/time-zone.ts';
import type { Tolerance, ToleranceParts } from './tolerance.ts';

/** Windows of time: without one they never hold, and one with two zones is in the first that is written. */
export const windowsOfDays: Tolerance = (value, { remark }) => {
  if (!isSettings(value) || !isSettings(value['days'])) return value;
  const entries = Object.entries(value['days']);
  if (entries.every(([, windows]) => Array.isArray(windows) && windows.length === 0)) {
    remark('holds no window of time, so it is never in effect: name a day with a window, or remove it', 'days');
    return value;
  }
  const days = entries.map(([day, windows]) => [
    day,
    Array.isArray(windows)
      ? windows.map((window: unknown, at) =>
          isSettings(window) ? inOneZone(window, [day, String(at)], remark) : window,
        )
      : windows,
  ]);
  return { ...value, days: Object.fromEntries(days) as Settings };
};

function inOneZone(window: Settings, path: readonly string[], remark: ToleranceParts['remark']): Settings {
  const { begin, end } = window;
  if (typeof begin !== 'string' || typeof end !== 'string') return window;
  const [beginZone, endZone] = [zoneBehind(begin), zoneBehind(end)];
  const zone = beginZone ?? endZone;
  if (zone === undefined || placeOf(beginZone) === placeOf(endZone)) return window;
  remark(
    `has not the same time zone in begin and end: ${zone} is used for both; write the zone behind both, or behind none`,
    'days',
    ...path,
  );
  return { ...window, begin: withZone(begin, zone), end: withZone(end, zone) };
}

function zoneBehind(text: string): string | undefined {
  return parseTimeOfDay(text)?.zone;
}

/** A zone that there is not stays what it is, for the schema to refuse. */
function placeOf(zone: string | undefined): string | undefined {
  return zone === undefined ? undefined : (timeZoneOf(zone) ?? zone);
}

function withZone(text: string, zone: string): string {
  const own = zoneBehind(text);
  const time = own === undefined ? text : text.trim().slice(0, -own.length);
  return `${time.trim()} ${zone}`;
}
