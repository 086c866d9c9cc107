import { z } from 'zod';
import { LIFETIME_SECONDS_MAX, SECONDS_MAX } from './lifetime.ts';

/** Time to live in seconds, or -1 (completion 1.2 and 1.6); 0 expires at once. `null` counts as absent: unlimited. */
export const expireSchema = z
  .int()
  .min(-1, 'must be seconds, or -1 for what never expires')
  .max(LIFETIME_SECONDS_MAX)
  .nullish();

/** The expiry in the mon API: epoch seconds, to the millisecond; null: never. */
export const expireAtSchema = z.number().min(0).max(SECONDS_MAX, 'must be in seconds since 1970').nullable();
