import { z } from 'zod';

/** Maximum number of subscriptions in one request. */
const SUBSCRIBERS_MAX = 1000;

/**
 * Body of `POST /request` (completion 1.6). `subscribers` replaces those of the definition; null counts as absent
 * (clients 1.14). Items that are not text name no subscription and are accepted, as recorded.
 */
export const requestSchema = z.looseObject({
  check: z.string(),
  subscribers: z.array(z.unknown()).max(SUBSCRIBERS_MAX).nullish(),
  reason: z.string().max(10_000).nullish(),
  creator: z.string().max(255).nullish(),
});

/** The requester of a run and the reason; passed with the request into the result. */
export interface ApiRequested {
  readonly reason: string | null;
  readonly creator: string | null;
}
