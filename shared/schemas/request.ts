import { z } from 'zod';

/** Most subscriptions that one request may name. */
const SUBSCRIBERS_MAX = 1000;

/**
 * Body of `POST /request` (completion 1.6). `subscribers` stands in for those of the definition; null is absent (clients
 * 1.14). What is no text among them names no subscription and is let through, as recorded.
 */
export const requestSchema = z.looseObject({
  check: z.string(),
  subscribers: z.array(z.unknown()).max(SUBSCRIBERS_MAX).nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
});

/** Who wanted the run and why: goes with the request into the result. */
export interface ApiRequested {
  readonly reason: string | null;
  readonly creator: string | null;
}
