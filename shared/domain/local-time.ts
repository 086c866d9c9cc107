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
const formatCache = new Map<string, Intl.DateTimeFormat>();

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

/** Returns the UTC offset of a zone at a time, in milliseconds. */
export function utcOffsetMs(epochMs: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const { year, month, day, hour, minute, second } = localTime(epochMs, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(epochMs / 1000) * 1000;
}

/** The times, in epoch milliseconds, at which the clocks of a zone show a date and time. */
export interface LocalTimeMatches {
  /** `skipped` if the clocks skip it because they are set forward, `twice` if they are set back. */
  readonly kind: 'once' | 'skipped' | 'twice';
  /** The first point in time with this clock time; for `skipped`, the time at which the clocks change. */
  readonly firstMs: number;
  /** The last point in time with this clock time; differs from `firstMs` only for `twice`. */
  readonly lastMs: number;
}

/**
 * Returns when the clocks of a zone show a date and time.
 *
 * @param localMs the date and time as if it were UTC, in epoch milliseconds
 */
export function findLocalTimes(localMs: number, zone: string): LocalTimeMatches {
  const offsets = [utcOffsetMs(localMs - DAY_MS, zone), utcOffsetMs(localMs + DAY_MS, zone)];
  const moments = offsets.map((offset) => localMs - offset).filter((ms) => ms + utcOffsetMs(ms, zone) === localMs);
  if (moments.length === 0) {
    const change = findOffsetChange(localMs - Math.max(...offsets), localMs - Math.min(...offsets), zone);
    return { kind: 'skipped', firstMs: change, lastMs: change };
  }
  const [firstMs, lastMs] = [Math.min(...moments), Math.max(...moments)];
  return { kind: firstMs === lastMs ? 'once' : 'twice', firstMs, lastMs };
}

/**
 * Returns when the UTC offset of a zone changes to that of `untilMs`, in epoch milliseconds with a precision of one
 * second. The offset at `sinceMs` must be another one.
 */
function findOffsetChange(sinceMs: number, untilMs: number, zone: string): number {
  const after = utcOffsetMs(untilMs, zone);
  let [low, high] = [Math.floor(sinceMs / 1000) - 1, Math.ceil(untilMs / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcOffsetMs(middle * 1000, zone) === after) high = middle;
    else low = middle;
  }
  return high * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formatCache.get(zone);
  if (cachedFormat !== undefined) return cachedFormat;
  if (formatCache.size >= FORMATS_MAX) formatCache.clear();
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
  formatCache.set(zone, format);
  return format;
}
