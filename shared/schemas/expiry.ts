import { z } from 'zod';

/** Farthest that anything may reach into the future: a hundred years. */
export const LIFETIME_SECONDS_MAX = 100 * 366 * 24 * 3600;

/** Seconds to live, or -1 (completion 1.2 and 1.6); 0 is gone at once. `null` counts as absent: for ever. */
export const expireSchema = z
  .int()
  .min(-1, 'must be seconds, or -1 for what never expires')
  .max(LIFETIME_SECONDS_MAX)
  .nullish();

/**
 * Seconds reach it in the year 5138, milliseconds did in 1973: what is greater is in milliseconds, as older backends wrote
 * ends into audit trails and dumps.
 */
export const SECONDS_MAX = 100_000_000_000;

/** An end on our own wires: epoch seconds, to the millisecond; null: never. */
export const expireAtSchema = z.number().min(0).max(SECONDS_MAX, 'must be in seconds since 1970').nullable();

/** Something with an end, as it is kept in memory: an absolute time, so that a restart can neither lengthen nor shorten it. */
export interface Expiring {
  /** Epoch milliseconds, so that it lives for whole seconds whenever in a second it was made; null: never. */
  readonly expireAtMs: number | null;
}

/** No expiry, as it is posted and as it is read (reference 2.1). */
export const EXPIRE_NEVER = -1;
