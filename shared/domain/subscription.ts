/** Returns the subscription that every client has for itself. A silence of one client names it. */
export function clientSubscription(name: string): string {
  return `client:${name}`;
}

/** Prefixes of subscriptions whose requests go to a single client each (completion 1.13). */
const SINGLE_CONSUMER = /^(?:roundrobin|direct):/;

/** Whether a request to this subscription goes to one of its clients, in turn, instead of all. */
export function hasOneConsumer(subscription: string): boolean {
  return SINGLE_CONSUMER.test(subscription);
}
