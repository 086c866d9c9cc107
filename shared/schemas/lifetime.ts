/** Farthest that anything may reach into the future: a hundred years. */
export const LIFETIME_SECONDS_MAX = 100 * 366 * 24 * 3600;

/**
 * Seconds reach it in the year 5138, milliseconds did in 1973: what is greater is in milliseconds, as older backends wrote
 * ends into audit trails and dumps.
 */
export const SECONDS_MAX = 100_000_000_000;

/** No expiry, as it is posted and as it is read (reference 2.1). */
export const EXPIRE_NEVER = -1;

/** Something with an end, as it is kept in memory: an absolute time, so that a restart can neither lengthen nor shorten it. */
export interface Expiring {
  /** Epoch milliseconds, so that it lives for whole seconds whenever in a second it was made; null: never. */
  readonly expireAtMs: number | null;
}
