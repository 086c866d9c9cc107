import { OWN_SUBSCRIPTION, type ClientProfile } from '../../../../shared/domain/client-profile.ts';
import { addToSet, removeFromSet } from '../../../../shared/domain/sets-by-name.ts';
import { clientSubscription } from '../../../../shared/domain/subscription.ts';

const CLIENT_SUBSCRIPTION_PREFIX = clientSubscription('');

interface Subscriber {
  readonly profile: Pick<ClientProfile, 'subscriptions'>;
}

/**
 * Index of clients by subscription. The subscription `client:NAME` of a client contains its name, so it is not indexed.
 */
export class Subscribers<Client extends Subscriber> {
  readonly #clients: ReadonlyMap<string, Client>;
  readonly #bySubscription = new Map<string, Set<Client>>();

  /** @param clients all clients of the namespace, by name */
  constructor(clients: ReadonlyMap<string, Client>) {
    this.#clients = clients;
  }

  add(entry: Client, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) {
      if (subscription !== OWN_SUBSCRIPTION) addToSet(this.#bySubscription, subscription, entry);
    }
  }

  remove(entry: Client, { subscriptions }: Pick<ClientProfile, 'subscriptions'>): void {
    for (const subscription of subscriptions) removeFromSet(this.#bySubscription, subscription, entry);
  }

  *of(subscription: string): Generator<Client, void, undefined> {
    if (subscription.startsWith(CLIENT_SUBSCRIPTION_PREFIX)) {
      const owner = this.#clients.get(subscription.slice(CLIENT_SUBSCRIPTION_PREFIX.length));
      if (owner?.profile.subscriptions.includes(OWN_SUBSCRIPTION) === true) yield owner;
    }
    yield* this.#bySubscription.get(subscription) ?? [];
  }
}
