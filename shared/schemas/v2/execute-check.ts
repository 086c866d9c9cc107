import { z } from 'zod';
import { subscriptionSchema } from '../name.ts';

/** Most subscriptions that one request may name. */
const SUBSCRIPTIONS_MAX = 1000;

/** Body of `POST .../checks/NAME/execute`, as the newer command-line tool sends it; `reason` is ours. */
export const executeCheckSchema = z.looseObject({
  creator: z.string().max(255).nullish(),
  reason: z.string().max(10_000).nullish(),
  /** In place of those of the check. */
  subscriptions: z.array(subscriptionSchema).max(SUBSCRIPTIONS_MAX).nullish(),
});
