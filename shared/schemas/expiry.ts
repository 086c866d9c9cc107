import { z } from 'zod';

/** Farthest that anything may reach into the future: a hundred years. */
export const LIFETIME_SECONDS_MAX = 100 * 366 * 24 * 3600;

/** Seconds to live, or -1 (completion 1.2 and 1.6); 0 is gone at once. `null` counts as absent: for ever. */
export const expireSchema = z
  .int()
  .min(-1, 'must be seconds, or -1 for what never expires')
  .max(LIFETIME_SECONDS_MAX)
  .nullish();

/** Something with an end, as it is stored: an absolute time, so that a restart can neither lengthen nor shorten it. */
export interface Expiring {
  /** Epoch milliseconds, so that it lives for whole seconds whenever in a second it was made; null: never. */
  readonly expire_at: number | null;
}
