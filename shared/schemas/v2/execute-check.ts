import { z } from 'zod';
import { subscriptionSchema } from '../name.ts';

/** Maximum number of subscriptions in one request for a run. */
const SUBSCRIPTIONS_MAX = 1000;

/** Body of `POST .../checks/NAME/execute`, as `sensuctl` sends it. `reason` is an extension of `mon`. */
export const executeCheckSchema = z.looseObject({
  creator: z.string().max(255).nullish(),
  reason: z.string().max(10_000).nullish(),
  /** Subscriptions that replace those of the check. */
  subscriptions: z.array(subscriptionSchema).max(SUBSCRIPTIONS_MAX).nullish(),
});
