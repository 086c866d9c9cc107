import { z } from 'zod';

/** Maximum number of subscriptions in one request for a run. */
const SUBSCRIBERS_MAX = 1000;

/**
 * Body of `POST /request`, which requests a run of a check (completion 1.6). `subscribers` replaces those of the
 * definition; null counts as absent (clients 1.14). Items that are not strings are accepted, as in Sensu, but name no
 * subscription.
 */
export const requestSchema = z.looseObject({
  check: z.string(),
  subscribers: z.array(z.unknown()).max(SUBSCRIBERS_MAX).nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
});

/**
 * The user who requested the run of a check, and the reason. Both are sent with the check request and become part of
 * the result.
 */
export interface ApiRequested {
  readonly reason: string | null;
  readonly creator: string | null;
}
