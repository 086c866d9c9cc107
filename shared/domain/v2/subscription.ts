/** Prefix of a host's own subscription in the v2 API, such as `entity:web-01`; internally it is `MODEL_PREFIX`. */
const V2_PREFIX = 'entity:';
const MODEL_PREFIX = 'client:';

/** Converts a subscription to its v2 form: `client:web-01` becomes `entity:web-01`. */
export function v2Subscription(subscription: string): string {
  return replacePrefix(subscription, MODEL_PREFIX, V2_PREFIX);
}

/** Converts a v2 subscription to the internal form: `entity:web-01` becomes `client:web-01`. */
export function subscriptionOfV2(subscription: string): string {
  return replacePrefix(subscription, V2_PREFIX, MODEL_PREFIX);
}

/** Replaces the prefix of a subscription, unless the subscription consists only of the prefix. */
function replacePrefix(subscription: string, from: string, to: string): string {
  return subscription.startsWith(from) && subscription.length > from.length
    ? `${to}${subscription.slice(from.length)}`
    : subscription;
}
