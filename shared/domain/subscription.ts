/** The subscription that every client holds, and that a silence of one client names. */
export function clientSubscription(name: string): string {
  return `client:${name}`;
}

/** Prefixes of subscriptions of which every request goes to a single client (completion 1.13). */
const SINGLE_CONSUMER = /^(?:roundrobin|direct):/;

/** Whether a request to this subscription is for one of its clients, in turn, instead of all of them. */
export function hasOneConsumer(subscription: string): boolean {
  return SINGLE_CONSUMER.test(subscription);
}
