import { OWN_SUBSCRIPTION, type ClientProfile } from '../../../shared/domain/client-profile.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';

const PREFIX = clientSubscription('');

interface Subscriber {
  readonly profile: Pick<ClientProfile, 'subscriptions'>;
}

/** Which clients of a namespace have which subscription. A client is found by its own one through its name. */
export class Subscribers<Client extends Subscriber> {
  readonly #clients: ReadonlyMap<string, Client>;
  readonly #bySubscription = new Map<string, Set<Client>>();

  /** @param clients all of the namespace, by name */
  constructor(clients: ReadonlyMap<string, Client>) {
    this.#clients = clients;
  }

  add(entry: Client, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) {
      if (subscription === OWN_SUBSCRIPTION) continue;
      const entries = this.#bySubscription.get(subscription);
      if (entries === undefined) this.#bySubscription.set(subscription, new Set([entry]));
      else entries.add(entry);
    }
  }

  remove(entry: Client, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) {
      const entries = this.#bySubscription.get(subscription);
      entries?.delete(entry);
      if (entries?.size === 0) this.#bySubscription.delete(subscription);
    }
  }

  *of(subscription: string): Generator<Client, void, undefined> {
    if (subscription.startsWith(PREFIX)) {
      const owner = this.#clients.get(subscription.slice(PREFIX.length));
      if (owner?.profile.subscriptions.includes(OWN_SUBSCRIPTION) === true) yield owner;
    }
    yield* this.#bySubscription.get(subscription) ?? [];
  }
}
