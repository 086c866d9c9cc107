import { MonError } from '../../../shared/errors.ts';
import { clientSubscription, type Client, type SubmittedClient } from '../../../shared/schemas/client.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import { eventsOf } from '../registry/namespace.ts';
import type { Batcher } from './batcher.ts';
import { resolveEvent } from './events.ts';
import { isTrusted } from './results.ts';

/** How a deleted client is kept from coming back (completion 1.6). */
export interface Invalidation {
  /** Seconds for which its keepalives and results are refused; undefined: not at all. */
  readonly expireSeconds: number | undefined;
}

/** How clients come, show signs of life and go. */
export class Clients {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Stores a client posted through the API, replacing the one of that name as a whole (completion 1.6).
   *
   * @throws MonError `unavailable`
   */
  put(namespaceName: string, submitted: SubmittedClient): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const client: Client = {
        ...submitted,
        keepalives: submitted.keepalives ?? false,
        version: COMPATIBLE_VERSION,
        timestamp: transaction.now,
        subscriptions: ownSubscriptions(submitted),
      };
      const signature = namespace.clients.get(client.name)?.signature ?? submitted.signature ?? '';
      transaction.saveClient(namespace, client, signature);
    });
  }

  /**
   * Stores what a client says about itself, as its sign of life. The first signature it shows becomes its own for good.
   *
   * @throws MonError `forbidden` when the signature is missing or wrong or the client was deleted with a ban
   */
  keepalive(namespaceName: string, submitted: SubmittedClient): Promise<Client> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const signature = submitted.signature ?? '';
      if (!isTrusted(namespace, submitted.name, signature, transaction.nowMs)) {
        throw new MonError('forbidden', `invalid client signature of ${submitted.name}`);
      }
      if (namespace.invalidated.has(submitted.name)) transaction.saveInvalidated(namespace, submitted.name, undefined);
      const client: Client = {
        version: COMPATIBLE_VERSION,
        ...submitted,
        timestamp: Math.min(integerOr(submitted['timestamp'], transaction.now), transaction.now),
        subscriptions: ownSubscriptions(submitted),
      };
      transaction.saveClient(namespace, client, signature);
      return client;
    });
  }

  /**
   * Resolves all events of a client, then removes it with its results (completion 1.6).
   *
   * @throws MonError `not_found`, `unavailable`
   */
  remove(namespaceName: string, name: string, invalidation: Invalidation): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const namespace = transaction.registry.namespace(namespaceName);
        const entry = namespace.clients.get(name);
        if (entry === undefined) throw new MonError('not_found', `there is no client ${name}`);
        for (const check of eventsOf(entry)) resolveEvent(transaction, check);
        transaction.removeClient(entry);
        const { expireSeconds } = invalidation;
        if (expireSeconds !== undefined) {
          transaction.saveInvalidated(namespace, name, transaction.nowMs + expireSeconds * 1000);
        }
      },
      {
        needs: (registry) => {
          const entry = registry.namespace(namespaceName).clients.get(name);
          return entry === undefined ? [] : eventsOf(entry);
        },
      },
    );
  }
}

/** The subscriptions without repetitions, with the client's own at the end unless it is among them. */
function ownSubscriptions({ name, subscriptions }: SubmittedClient): string[] {
  return [...new Set([...(subscriptions ?? []), clientSubscription(name)])];
}

function integerOr(value: unknown, otherwise: number): number {
  return Number.isInteger(value) ? (value as number) : otherwise;
}
