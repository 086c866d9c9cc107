import { MonError } from '../../../shared/errors.ts';
import { addedToEntity } from '../../../shared/domain/core/entity.ts';
import { redact, redactKeysOf } from '../../../shared/domain/redact.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client, SubmittedClient } from '../../../shared/schemas/client.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import { eventsOf, type CheckEntry, type ClientEntry, type Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { MON, recordAudit, targetIn } from './audit.ts';
import type { Batcher } from './batcher.ts';
import type { EntityLimit } from './entity-limit.ts';
import { resolveEvent } from './events.ts';
import { handleDeregistration } from './handle-deregistration.ts';
import { handleRegistration } from './handle-registration.ts';
import type { Transaction } from './transaction.ts';
import { admitKeepalive } from './trust.ts';
import { refuseUnknownNamespace } from './unknown-namespace.ts';

/** How a deleted client is kept from coming back (completion 1.6). */
export interface Invalidation {
  /** Seconds for which its keepalives and results are refused; undefined: not at all. */
  readonly expireSeconds: number | undefined;
}

interface ClientParts {
  readonly batcher: Batcher;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
  /** How long late results cannot bring a deleted client back; asked at each deletion, since a reload changes it. */
  readonly quarantineSeconds: number;
}

/** How clients come, show signs of life and go. */
export class Clients {
  readonly #batcher: Batcher;
  readonly #parts: ClientParts;

  constructor(parts: ClientParts) {
    this.#batcher = parts.batcher;
    this.#parts = parts;
  }

  /**
   * Stores a client posted through the API, replacing the one of that name as a whole (completion 1.6). Whoever may do
   * that may also let a deleted one back in.
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
      letIn(transaction, namespace, client.name);
      transaction.saveClient(namespace, client, signature);
    });
  }

  /**
   * Stores what a client says about itself, as its sign of life. The first signature it shows becomes its own for good.
   *
   * @throws MonError `forbidden` when the signature is missing or wrong or the client was deleted with a ban, `conflict`
   * when it was deleted since the keepalive was made, `payment_required` when it is new and one too many, `not_found`
   * when its namespace is gone
   */
  keepalive(namespaceName: string, submitted: SubmittedClient): Promise<Client> {
    // An agent knows nothing of what people have added to its entity.
    return this.keepaliveOf(namespaceName, submitted.name, (present) => ({ ...addedToEntity(present), ...submitted }));
  }

  /**
   * The same for a keepalive whose client depends on the one that is there already.
   *
   * @param clientOf told of that one, and of the time in epoch seconds
   */
  keepaliveOf(
    namespaceName: string,
    name: string,
    clientOf: (present: Client | undefined, now: number) => SubmittedClient,
  ): Promise<Client> {
    return this.#batcher.run((transaction) => {
      refuseUnknownNamespace(transaction.registry, namespaceName);
      const namespace = transaction.registry.namespace(namespaceName);
      const submitted = clientOf(namespace.clients.get(name)?.record, transaction.now);
      const signature = submitted.signature ?? '';
      const madeAt = integerOrUndefined(submitted['timestamp']);
      admitKeepalive(namespace, { name: submitted.name, signature, madeAt }, transaction.nowMs);
      this.#parts.entityLimit.refuseBeyond(namespaceName, submitted.name);
      letIn(transaction, namespace, submitted.name);
      const client: Client = {
        version: COMPATIBLE_VERSION,
        ...submitted,
        timestamp: Math.min(madeAt ?? transaction.now, transaction.now),
        subscriptions: ownSubscriptions(submitted),
      };
      const isNew = !namespace.clients.has(client.name);
      const entry = transaction.saveClient(namespace, client, signature);
      if (isNew) handleRegistration(transaction, entry);
      return client;
    });
  }

  /** Removes what is left of a deleted client once it may come back; called by the clock. */
  forget(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const { nowMs } = transaction;
      if ((namespace.tombstones.get(name)?.untilMs ?? Infinity) <= nowMs) {
        transaction.saveTombstone(namespace, name, undefined);
      }
      if ((namespace.invalidated.get(name) ?? Infinity) <= nowMs) {
        transaction.saveInvalidated(namespace, name, undefined);
      }
    });
  }

  /**
   * Resolves all events of a client, then removes it with its results (completion 1.6).
   *
   * @param check told of it; refuses by throwing
   * @throws MonError `not_found`, `unavailable`
   */
  remove(
    namespaceName: string,
    name: string,
    invalidation: Invalidation,
    actor: Actor = MON,
    check: (present: Client) => void = () => undefined,
  ): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const namespace = transaction.registry.namespace(namespaceName);
        const entry = namespace.clients.get(name);
        if (entry === undefined) throw new MonError('not_found', `there is no client ${name}`);
        check(entry.record);
        const before = auditedClient(entry);
        removeWithEvents(transaction, entry);
        recordAudit(transaction, actor, { action: 'client.delete', target: targetIn(namespaceName, name), before });
        const { nowMs } = transaction;
        const quarantineMs = this.#parts.quarantineSeconds * 1000;
        if (quarantineMs > 0) {
          transaction.saveTombstone(namespace, name, { deletedMs: nowMs, untilMs: nowMs + quarantineMs });
        }
        const { expireSeconds } = invalidation;
        if (expireSeconds !== undefined) {
          transaction.saveInvalidated(namespace, name, nowMs + expireSeconds * 1000);
        }
      },
      { needs: (registry) => eventsOfClient(registry, namespaceName, name) },
    );
  }

  /**
   * Removes a client whose agent has left for good, and tells the handler of deregistrations. Nothing happens when the
   * client is gone, or does not want that (any more).
   *
   * @throws MonError `unavailable`
   */
  deregister(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).clients.get(name);
        if (entry?.record['deregister'] !== true) return;
        handleDeregistration(transaction, entry);
        removeWithEvents(transaction, entry);
      },
      { needs: (registry) => eventsOfClient(registry, namespaceName, name) },
    );
  }
}

function eventsOfClient(registry: Registry, namespaceName: string, name: string): Iterable<CheckEntry> {
  const entry = registry.namespace(namespaceName).clients.get(name);
  return entry === undefined ? [] : eventsOf(entry);
}

function removeWithEvents(transaction: Transaction, entry: ClientEntry): void {
  for (const check of eventsOf(entry)) resolveEvent(transaction, check);
  transaction.removeClient(entry);
}

/** What the audit trail keeps of a client: what the API shows of it, without its signature. */
function auditedClient({ record, openEvents }: ClientEntry): unknown {
  return { ...redact(record, redactKeysOf(record)), signature: undefined, events: openEvents };
}

/** Whoever is here again was never deleted. */
export function letIn(transaction: Transaction, namespace: Namespace, name: string): void {
  if (namespace.invalidated.has(name)) transaction.saveInvalidated(namespace, name, undefined);
  if (namespace.tombstones.has(name)) transaction.saveTombstone(namespace, name, undefined);
}

/** The subscriptions without repetitions, with the client's own at the end unless it is among them. */
function ownSubscriptions({ name, subscriptions }: SubmittedClient): string[] {
  return [...new Set([...(subscriptions ?? []), clientSubscription(name)])];
}

function integerOrUndefined(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}
