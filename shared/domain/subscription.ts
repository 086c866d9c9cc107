/** Returns the subscription that only this client has. A silence of one client names it. */
export function clientSubscription(name: string): string {
  return `client:${name}`;
}

/** Matches subscriptions whose check requests each go to a single client (completion 1.13). */
const SINGLE_CONSUMER = /^(?:roundrobin|direct):/;

/** Whether a request to this subscription goes to one of its clients, in turn, instead of all. */
export function hasOneConsumer(subscription: string): boolean {
  return SINGLE_CONSUMER.test(subscription);
}
