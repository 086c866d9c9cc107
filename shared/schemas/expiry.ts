import { z } from 'zod';
import { LIFETIME_SECONDS_MAX, SECONDS_MAX } from './lifetime.ts';

/**
 * The attribute `expire`: time to live in seconds (completion 1.2 and 1.6). -1, null or absent: unlimited; 0: expires
 * at once.
 */
export const expireSchema = z
  .int()
  .min(-1, 'must be seconds, or -1 for what never expires')
  .max(LIFETIME_SECONDS_MAX)
  .nullish();

/** The attribute `expire_at` of the mon API: time of expiry in epoch seconds, with fractions; null: never. */
export const expireAtSchema = z.number().min(0).max(SECONDS_MAX, 'must be in seconds since 1970').nullable();
