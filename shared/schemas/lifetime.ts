/** Maximum number of seconds by which a time may be in the future: a hundred years. */
export const LIFETIME_SECONDS_MAX = 100 * 366 * 24 * 3600;

/**
 * Largest number that is read as epoch seconds (year 5138). A greater number is read as epoch milliseconds (from 1973
 * on), because older backends wrote times of expiry in milliseconds to audit trails and dumps.
 */
export const SECONDS_MAX = 100_000_000_000;

/** The value of `expire` for an object that never expires, in requests and responses (reference 2.1). */
export const EXPIRE_NEVER = -1;

/** An object that can expire. The time of expiry is absolute, so that a restart does not change it. */
export interface Expiring {
  /** Time of expiry in epoch milliseconds, so that a lifetime in whole seconds is exact; null: never. */
  readonly expireAtMs: number | null;
}
