/** Maximum distance of any time in the future: a hundred years. */
export const LIFETIME_SECONDS_MAX = 100 * 366 * 24 * 3600;

/**
 * Largest time in seconds. Seconds reach it in the year 5138, and milliseconds did in 1973. Greater numbers are
 * milliseconds, as older backends wrote ends to audit trails and dumps.
 */
export const SECONDS_MAX = 100_000_000_000;

/** The value for no expiry, in requests and responses (reference 2.1). */
export const EXPIRE_NEVER = -1;

/** An object with an expiry in memory: an absolute time, so that a restart cannot change it. */
export interface Expiring {
  /** Epoch milliseconds, so that a lifetime in whole seconds is exact; null: never. */
  readonly expireAtMs: number | null;
}
