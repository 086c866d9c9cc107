/** The zones of RFC 822 (5.1), which people write behind a time: fixed, whatever the time of the year. */
const FIXED_ZONES: ReadonlyMap<string, string> = new Map([
  ['UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['UT', 'UTC'],
  ['Z', 'UTC'],
  ['EST', '-05:00'],
  ['EDT', '-04:00'],
  ['CST', '-06:00'],
  ['CDT', '-05:00'],
  ['MST', '-07:00'],
  ['MDT', '-06:00'],
  ['PST', '-08:00'],
  ['PDT', '-07:00'],
]);

const OFFSET = /^([+-])([01]\d|2[0-3]):?([0-5]\d)$/;

/** Other short names are guesses: BST is a time in London, in Dhaka and on Bougainville. */
const AREA = /^[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){1,2}$/;

/** What may be written as a zone. */
export const TIME_ZONE_HINT = 'UTC, an offset such as +02:00, or a name such as Europe/Berlin';

/**
 * The zone that a text names: UTC, an offset, an IANA name with its area, or a time of the United States.
 *
 * @returns its name as `Intl` knows it; undefined when there is no such zone
 */
export function timeZoneOf(text: string): string | undefined {
  const fixed = FIXED_ZONES.get(text.toUpperCase());
  if (fixed !== undefined) return fixed;
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? [];
  if (sign !== undefined) return `${sign}${hours ?? ''}:${minutes ?? ''}`;
  if (text.length > 64 || !AREA.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * The zone of a machine, for all times that name none.
 *
 * @param named what `Intl` says of the machine: nothing, or no zone at all, when TZ is empty or has a form of its own
 * @param offsetMinutes what `Date.prototype.getTimezoneOffset` says now, which is then all that is known
 */
export function machineTimeZone(named: string | undefined, offsetMinutes: number): string {
  const zone = timeZoneOf(named ?? '');
  if (zone !== undefined) return zone;
  const minutes = Math.abs(offsetMinutes);
  const parts = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  // The offset counts from local time to UTC.
  return timeZoneOf(`${offsetMinutes > 0 ? '-' : '+'}${parts.join(':')}`) ?? 'UTC';
}
