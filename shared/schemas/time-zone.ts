/** The time zone names of RFC 822 (5.1), with their fixed UTC offsets. */
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

const OFFSET_FORMAT = /^([+-])([01]\d|2[0-3]):?([0-5]\d)$/;

/**
 * An IANA time zone name with its area. Other short names are rejected as ambiguous: BST is a time in London, in Dhaka
 * and on Bougainville.
 */
const AREA_NAME_FORMAT = /^[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){1,2}$/;

/** Valid forms of a time zone, for error messages. */
export const TIME_ZONE_HINT = 'UTC, an offset such as +02:00, or a name such as Europe/Berlin';

/**
 * Returns the time zone that a text names: UTC, an offset, an IANA name with its area, or a zone of the United States.
 *
 * @returns the name of the zone for `Intl`; undefined if there is no such zone
 */
export function timeZoneOf(text: string): string | undefined {
  const fixed = FIXED_ZONES.get(text.toUpperCase());
  if (fixed !== undefined) return fixed;
  const [, sign, hours, minutes] = OFFSET_FORMAT.exec(text) ?? [];
  if (sign !== undefined) return `${sign}${hours ?? ''}:${minutes ?? ''}`;
  if (text.length > 64 || !AREA_NAME_FORMAT.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Returns the time zone of this machine, which applies to times without a zone.
 *
 * @param named the zone that `Intl` reports; it is empty or invalid if the variable TZ is empty or has a custom form
 * @param offsetMinutes current value of `Date.prototype.getTimezoneOffset`, used if `named` is not valid
 */
export function machineTimeZone(named: string | undefined, offsetMinutes: number): string {
  const zone = timeZoneOf(named ?? '');
  if (zone !== undefined) return zone;
  const minutes = Math.abs(offsetMinutes);
  const parts = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  // `getTimezoneOffset` is the difference from local time to UTC, so its sign is reversed.
  return timeZoneOf(`${offsetMinutes > 0 ? '-' : '+'}${parts.join(':')}`) ?? 'UTC';
}
