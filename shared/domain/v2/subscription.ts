/** What version 2 calls the subscription of a single machine, and what the model calls it. */
const V2_PREFIX = 'entity:';
const MODEL_PREFIX = 'client:';

/** A subscription of the model as version 2 shows it: `client:web-01` is `entity:web-01` there. */
export function v2Subscription(subscription: string): string {
  return renamed(subscription, MODEL_PREFIX, V2_PREFIX);
}

/** A subscription of version 2 as the model has it, so that a silence on it works through both faces at once. */
export function subscriptionOfV2(subscription: string): string {
  return renamed(subscription, V2_PREFIX, MODEL_PREFIX);
}

/** The prefix alone names no machine. */
function renamed(subscription: string, from: string, to: string): string {
  return subscription.startsWith(from) && subscription.length > from.length
    ? `${to}${subscription.slice(from.length)}`
    : subscription;
}
