import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { parseTimeOfDay } from '../../shared/schemas/time-window.ts';
import { TIME_ZONE_HINT, timeZoneOf } from '../../shared/schemas/time-zone.ts';
import type { Tolerance, ToleranceContext } from './tolerance.ts';

/**
 * Handles time windows by day. If no day has a window, a warning says that the time windows never apply. If a window
 * has two time zones, the first one is used.
 */
export const windowsOfDays: Tolerance = (value, { remark }) => {
  if (!isSettings(value) || !isSettings(value['days'])) return value;
  const entries = Object.entries(value['days']);
  if (entries.every(([, windows]) => Array.isArray(windows) && windows.length === 0)) {
    remark('has no time window, so it never applies: add a day with a window, or remove it', 'days');
    return value;
  }
  const days = entries.map(([day, windows]) => [
    day,
    Array.isArray(windows)
      ? windows.map((window: unknown, at) =>
          isSettings(window)
            ? unifyTimeZone(withoutUnknownZones(window, [day, String(at)], remark), [day, String(at)], remark)
            : window,
        )
      : windows,
  ]);
  return { ...value, days: Object.fromEntries(days) as Settings };
};

/**
 * Replaces zones that Ruby's `Time.parse` does not know (CET, BST, MEZ, PT): Sensu Core treats them as local time. A
 * name with an area, such as Europe/Nowhere, is kept, so that the schema rejects it.
 */
function withoutUnknownZones(window: Settings, path: readonly string[], remark: ToleranceContext['remark']): Settings {
  const used = { ...window };
  for (const attribute of ['begin', 'end']) {
    const text = used[attribute];
    const zone = typeof text === 'string' ? zoneBehind(text) : undefined;
    if (typeof text !== 'string' || zone === undefined || !ZONE_ABBREVIATION.test(zone)) continue;
    if (timeZoneOf(zone) !== undefined) continue;
    remark(
      `uses the time zone "${zone}", which Sensu Core does not know: local time is used, as in Sensu Core; use ${TIME_ZONE_HINT}`,
      'days',
      ...path,
      attribute,
    );
    used[attribute] = text.trim().slice(0, -zone.length).trim();
  }
  return used;
}

/** An abbreviation of a time zone. A single letter is rejected: it is more likely half of AM or PM. */
const ZONE_ABBREVIATION = /^[a-z]{2,5}$/i;

function unifyTimeZone(window: Settings, path: readonly string[], remark: ToleranceContext['remark']): Settings {
  const { begin, end } = window;
  if (typeof begin !== 'string' || typeof end !== 'string') return window;
  const [beginZone, endZone] = [zoneBehind(begin), zoneBehind(end)];
  const zone = beginZone ?? endZone;
  if (zone === undefined || resolveZone(beginZone) === resolveZone(endZone)) return window;
  remark(
    `has different time zones in begin and end: ${zone} is used for both; add the same zone to both, or to none`,
    'days',
    ...path,
  );
  return { ...window, begin: replaceZone(begin, zone), end: replaceZone(end, zone) };
}

function zoneBehind(text: string): string | undefined {
  return parseTimeOfDay(text)?.zone;
}

/** Returns the resolved time zone; an unknown name is unchanged, so that the schema rejects it. */
function resolveZone(zone: string | undefined): string | undefined {
  return zone === undefined ? undefined : (timeZoneOf(zone) ?? zone);
}

function replaceZone(text: string, zone: string): string {
  const own = zoneBehind(text);
  const time = own === undefined ? text : text.trim().slice(0, -own.length);
  return `${time.trim()} ${zone}`;
}
