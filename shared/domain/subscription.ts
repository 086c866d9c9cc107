/** Returns the subscription `client:NAME` that only this client has. It is used to silence one client. */
export function clientSubscription(name: string): string {
  return `client:${name}`;
}

/** Matches subscriptions whose check requests each go to a single client (completion 1.13). */
const SINGLE_CONSUMER = /^(?:roundrobin|direct):/;

/** Whether each check request to this subscription goes to only one of its clients, in turn, instead of to all. */
export function hasOneConsumer(subscription: string): boolean {
  return SINGLE_CONSUMER.test(subscription);
}
