/** A date and time as clocks in a time zone show it. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** Day of the month, 1 to 31. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 1 to 366. */
  readonly dayOfYear: number;
}

const DAY_MS = 86_400_000;

/** Maximum number of cached date formats, one per time zone. Few zones are in use, because they are configured. */
const FORMATS_MAX = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Converts a time to the local time in a time zone.
 *
 * @param epochMs epoch milliseconds, from 1970 to the year 9999
 * @param zone as returned by `timeZoneOf`
 * @throws RangeError if there is no such zone
 */
export function localTime(epochMs: number, zone: string): LocalTime {
  const fields = new Map(
    formatOf(zone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? 0;
  const year = field('year');
  const date = Date.UTC(year, field('month') - 1, field('day'));
  return {
    year,
    month: field('month'),
    day: field('day'),
    hour: field('hour'),
    minute: field('minute'),
    second: field('second'),
    weekday: new Date(date).getUTCDay(),
    dayOfYear: (date - Date.UTC(year, 0)) / DAY_MS + 1,
  };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(zone);
  if (cachedFormat !== undefined) return cachedFormat;
  if (formats.size >= FORMATS_MAX) formats.clear();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
