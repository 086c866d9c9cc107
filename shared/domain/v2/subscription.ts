/** Prefix, in the v2 API, of the subscription that only a single host has. `MODEL_PREFIX` is the internal prefix. */
const V2_PREFIX = 'entity:';
const MODEL_PREFIX = 'client:';

/** Converts a subscription to its v2 form: `client:web-01` becomes `entity:web-01`. */
export function v2Subscription(subscription: string): string {
  return renamed(subscription, MODEL_PREFIX, V2_PREFIX);
}

/** Converts a v2 subscription to the internal form, so that a silence on it applies in both APIs. */
export function subscriptionOfV2(subscription: string): string {
  return renamed(subscription, V2_PREFIX, MODEL_PREFIX);
}

/** Replaces the prefix, unless the subscription consists only of it. */
function renamed(subscription: string, from: string, to: string): string {
  return subscription.startsWith(from) && subscription.length > from.length
    ? `${to}${subscription.slice(from.length)}`
    : subscription;
}
