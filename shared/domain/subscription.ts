/** Returns the subscription `client:NAME` that only this client has. It is used to silence one client. */
export function clientSubscription(name: string): string {
  return `client:${name}`;
}

/** Returns the name of the client that has this subscription alone; undefined if any client can have it. */
export function clientOfSubscription(subscription: string): string | undefined {
  return subscription.startsWith('client:') ? subscription.slice('client:'.length) : undefined;
}

/** Matches subscriptions whose check requests each go to a single client (completion 1.13). */
const SINGLE_CONSUMER = /^(?:roundrobin|direct):/;

/** Whether each check request to this subscription goes to only one of its clients, in turn, instead of to all. */
export function hasOneConsumer(subscription: string): boolean {
  return SINGLE_CONSUMER.test(subscription);
}
