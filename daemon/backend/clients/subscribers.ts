import { OWN_SUBSCRIPTION, type ClientProfile } from '../../../shared/domain/client-profile.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { ClientEntry } from '../registry/entries.ts';

const PREFIX = clientSubscription('');

/** Which clients of a namespace have which subscription. A client is found by its own one through its name. */
export class Subscribers {
  readonly #clients: ReadonlyMap<string, ClientEntry>;
  readonly #bySubscription = new Map<string, Set<ClientEntry>>();

  /** @param clients all of the namespace, by name */
  constructor(clients: ReadonlyMap<string, ClientEntry>) {
    this.#clients = clients;
  }

  add(entry: ClientEntry, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) {
      if (subscription === OWN_SUBSCRIPTION) continue;
      const entries = this.#bySubscription.get(subscription);
      if (entries === undefined) this.#bySubscription.set(subscription, new Set([entry]));
      else entries.add(entry);
    }
  }

  remove(entry: ClientEntry, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) {
      const entries = this.#bySubscription.get(subscription);
      entries?.delete(entry);
      if (entries?.size === 0) this.#bySubscription.delete(subscription);
    }
  }

  *of(subscription: string): Generator<ClientEntry, void, undefined> {
    if (subscription.startsWith(PREFIX)) {
      const owner = this.#clients.get(subscription.slice(PREFIX.length));
      if (owner?.profile.subscriptions.includes(OWN_SUBSCRIPTION) === true) yield owner;
    }
    yield* this.#bySubscription.get(subscription) ?? [];
  }
}
