import { MonError } from '../../../shared/errors.ts';
import { addedToEntity } from '../../../shared/domain/v2/entity.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { redact, redactKeysOf } from '../../../shared/domain/redact.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client, SubmittedClient } from '../../../shared/schemas/client.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import { type CheckEntry, type ClientEntry, eventsOf, type Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { ALWAYS_ADMITTED, type Admission } from '../access/admission.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget, type AuditedChange } from '../model/audit/mutations.ts';
import { recordBulk } from '../audit/bulk.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { notifyDeregistration, notifyRegistration } from '../notify/notifications.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { processResult, type IncomingResult } from '../results/process-result.ts';
import { admitKeepalive } from '../results/trust.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { refuseGrowthOf, removeClient, saveClient } from '../model/clients/mutations.ts';
import { CLIENT_BANS, TOMBSTONES, CLIENTS } from '../model/clients/storage.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** The ban that a deletion can put on the name of the client (completion 1.6). */
export interface Invalidation {
  /** Seconds for which keepalives and results of the deleted client are rejected; undefined for no ban. */
  readonly expireSeconds: number | undefined;
}

interface ClientDependencies {
  readonly batcher: Batcher;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
  /** Limits on the attributes of clients; default: the fixed limits of `AttributeBounds`. */
  readonly attributes?: AttributeBounds;
  /**
   * Seconds after a deletion during which late results cannot create the client again. It is read at each deletion,
   * because a reload can change it.
   */
  readonly quarantineSeconds: number;
}

/** Maximum number of clients that are removed in one commit. */
const SLICE_CLIENTS = 100;

/** Creates clients, records their keepalives, and removes clients. */
export class Clients {
  readonly #batcher: Batcher;
  readonly #dependencies: ClientDependencies;
  readonly #attributes: AttributeBounds;

  constructor(dependencies: ClientDependencies) {
    this.#batcher = dependencies.batcher;
    this.#dependencies = dependencies;
    this.#attributes = dependencies.attributes ?? new AttributeBounds();
  }

  /**
   * Stores a client submitted through the API; an existing client of that name is replaced entirely (completion 1.6).
   * This also works for a deleted client that is still banned, and ends the ban.
   *
   * @throws MonError `not_found` if its namespace is deleted, `too_large` or `invalid` if its attributes exceed the
   *   limits, `no_memory` if memory is full, `unavailable` if the change cannot be committed
   */
  async put(namespaceName: string, submitted: SubmittedClient): Promise<void> {
    this.#attributes.refuseClient(submitted);
    await this.#batcher.run((transaction) => {
      refuseUnknownNamespace(transaction.registry, namespaceName);
      const namespace = transaction.registry.namespace(namespaceName);
      const client: Client = {
        ...submitted,
        keepalives: submitted.keepalives ?? false,
        version: COMPATIBLE_VERSION,
        timestamp: transaction.now,
        subscriptions: ownSubscriptions(submitted),
      };
      const present = namespace.clients.get(client.name);
      transaction.refuseNew(present);
      refuseGrowthOf(transaction, present, client);
      const signature = present?.signature ?? submitted.signature ?? '';
      liftBan(transaction, namespace, client.name);
      saveClient(transaction, namespace, client, { signature, isCounted: false });
    });
  }

  /**
   * Stores a keepalive: the attributes that a client reports about itself. The first signature of a client becomes
   * permanent.
   *
   * @throws MonError `forbidden` if the signature is missing or wrong, or the client was deleted and is still banned,
   *   `conflict` if it was deleted after it sent the keepalive, `payment_required` if it is new and exceeds the entity
   *   limit, `not_found` if its namespace is deleted, `too_large` or `invalid` if its attributes exceed the limits,
   *   `no_memory` if memory is full
   */
  keepalive(namespaceName: string, submitted: SubmittedClient, admission = ALWAYS_ADMITTED): Promise<Client> {
    // Attributes that only the v2 API sets are retained, because the agent does not know and report them.
    const { name } = submitted;
    return this.keepaliveOf(namespaceName, { name, reportedAttributes: submitted, admission }, (present) => ({
      ...addedToEntity(present),
      ...submitted,
    }));
  }

  /**
   * Stores a keepalive for which the new client record depends on the current one.
   *
   * @param reportedAttributes attributes that the agent reports, to which the attribute limits apply
   * @param isFresh true if the keepalive was certainly sent after the last deletion of the client. Its timestamp is
   *   then not compared with the time of the deletion, because it is exact only to the second
   * @param resultOf callback that returns a check result to record in the same commit; undefined for none
   * @param clientOf callback that returns the new client; it gets the current record (undefined if there is none) and
   *   the time in epoch seconds
   */
  async keepaliveOf(
    namespaceName: string,
    {
      name,
      reportedAttributes,
      admission,
      isFresh = false,
      resultOf,
    }: {
      readonly name: string;
      readonly reportedAttributes: object;
      readonly admission: Admission;
      readonly isFresh?: boolean;
      readonly resultOf?: (entry: ClientEntry, record: Client, now: number) => IncomingResult | undefined;
    },
    clientOf: (present: Client | undefined, now: number) => SubmittedClient,
  ): Promise<Client> {
    this.#attributes.refuseClient(reportedAttributes);
    return await this.#batcher.run(
      (transaction) => {
        admission();
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const present = namespace.clients.get(name);
        const submitted = clientOf(recordOf(transaction, present), transaction.now);
        const signature = submitted.signature ?? '';
        const madeAt = integerOrUndefined(submitted['timestamp']);
        transaction.refuseNew(present);
        const admitted = { name: submitted.name, signature, madeAt: isFresh ? undefined : madeAt };
        admitKeepalive(namespace, admitted, transaction.nowMs);
        this.#dependencies.entityLimit.refuseBeyond(namespaceName, submitted.name);
        const client: Client = {
          version: COMPATIBLE_VERSION,
          ...submitted,
          timestamp: Math.min(madeAt ?? transaction.now, transaction.now),
          subscriptions: ownSubscriptions(submitted),
        };
        refuseGrowthOf(transaction, present, client);
        liftBan(transaction, namespace, submitted.name);
        const isNew = present === undefined;
        const entry = saveClient(transaction, namespace, client, { signature, isCounted: true });
        if (isNew) notifyRegistration(transaction, entry);
        const result = resultOf?.(entry, client, transaction.now);
        if (result !== undefined) processResult(transaction, namespace, result);
        return client;
      },
      { needs: (registry) => clientAndKeepalive(registry, namespaceName, name) },
    );
  }

  /** Removes the ban and the tombstone of a deleted client if they have expired; called by a timer. */
  removeExpiredBan(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const { nowMs } = transaction;
      if ((namespace.tombstones.get(name)?.untilMs ?? Infinity) <= nowMs) {
        transaction.remove(TOMBSTONES, namespace, name);
      }
      if ((namespace.invalidated.get(name) ?? Infinity) <= nowMs) {
        transaction.remove(CLIENT_BANS, namespace, name);
      }
    });
  }

  /**
   * Resolves all events of a client, then removes it with its results (completion 1.6).
   *
   * @param check callback that gets the client record and throws to reject the removal
   * @throws MonError `not_found` if there is no such client, `unavailable` if the change cannot be committed
   */
  remove(
    namespaceName: string,
    name: string,
    invalidation: Invalidation,
    actor: Actor = BACKEND_ACTOR,
    check: (present: Client) => void = () => undefined,
  ): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const namespace = transaction.registry.namespace(namespaceName);
        const entry = namespace.clients.get(name);
        if (entry === undefined) throw new MonError('not_found', `there is no client ${name}`);
        const record = transaction.body(CLIENTS, entry);
        check(record);
        const before = { ...auditedRecord(record), events: entry.openEvents };
        this.#takeAway(transaction, entry, actor.who);
        recordAudit(transaction, actor, { action: 'client.delete', target: auditTarget(namespaceName, name), before });
        const { expireSeconds } = invalidation;
        if (expireSeconds !== undefined) {
          transaction.put(CLIENT_BANS, namespace, name, transaction.nowMs + expireSeconds * 1000);
        }
      },
      { needs: (registry) => clientAndEvents(registry, namespaceName, name) },
    );
  }

  /**
   * Removes many clients in batches. Each batch is one commit, with its own record in the audit trail.
   *
   * @param isSelected callback that is evaluated immediately before the removal: a client that sent a keepalive in the
   *   meantime possibly does not match any more
   * @returns the number of removed clients
   * @throws MonError `unavailable` if a batch cannot be committed; earlier batches remain removed, and a repeated call
   *   continues with the remaining clients
   */
  async removeMany(
    namespaceName: string,
    names: readonly string[],
    isSelected: (entry: ClientEntry) => boolean,
    actor: Actor,
  ): Promise<number> {
    let removed = 0;
    for (let start = 0; start < names.length; start += SLICE_CLIENTS) {
      removed += await this.#removeSlice(namespaceName, names.slice(start, start + SLICE_CLIENTS), isSelected, actor);
    }
    return removed;
  }

  #removeSlice(
    namespaceName: string,
    names: readonly string[],
    isSelected: (entry: ClientEntry) => boolean,
    actor: Actor,
  ): Promise<number> {
    const takeAway = this.#takeAway.bind(this);
    return this.#batcher.runSteps(
      function* (transaction) {
        const { clients } = transaction.registry.namespace(namespaceName);
        const selectedEntries = names.flatMap((name) => clients.get(name) ?? []).filter(isSelected);
        const changes: AuditedChange[] = [];
        for (const entry of selectedEntries) {
          const before = { timestamp: entry.timestamp, events: entry.openEvents };
          takeAway(transaction, entry, actor.who);
          changes.push({ action: 'client.delete', target: auditTarget(namespaceName, entry.name), before });
          yield;
        }
        yield* recordBulk(transaction, actor, 'bulk', changes);
        return selectedEntries.length;
      },
      {
        weight: names.length,
        needs: (registry) => names.flatMap((name) => [...clientAndEvents(registry, namespaceName, name)]),
      },
    );
  }

  /** Removes a client, and stores a tombstone so that late results do not create it again during the quarantine. */
  #takeAway(transaction: Transaction, entry: ClientEntry, by: string): void {
    const { nowMs } = transaction;
    removeWithEvents(transaction, entry, by);
    const quarantineMs = this.#dependencies.quarantineSeconds * 1000;
    if (quarantineMs === 0) return;
    transaction.put(TOMBSTONES, entry.namespace, entry.name, { deletedMs: nowMs, untilMs: nowMs + quarantineMs });
  }

  /**
   * Removes a client whose agent has left permanently, and notifies its deregistration handler. Does nothing if there
   * is no such client, or if its attribute `deregister` is not true.
   *
   * @throws MonError `unavailable` if the change cannot be committed
   */
  deregister(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).clients.get(name);
        if (entry?.profile.deregisters !== true) return;
        notifyDeregistration(transaction, entry);
        removeWithEvents(transaction, entry, BACKEND_ACTOR.who);
      },
      { needs: (registry) => clientAndEvents(registry, namespaceName, name) },
    );
  }
}

/** Returns the entry of a client as a list, for commands that need its record; empty if there is no such client. */
export function clientNamed(registry: Registry, namespaceName: string, name: string): ClientEntry[] {
  const entry = registry.namespace(namespaceName).clients.get(name);
  return entry === undefined ? [] : [entry];
}

/**
 * Returns the entries whose stored bodies a keepalive needs: the client, and its keepalive event if it is open, because
 * the keepalive may resolve it.
 */
function clientAndKeepalive(registry: Registry, namespaceName: string, name: string): (CheckEntry | ClientEntry)[] {
  return clientNamed(registry, namespaceName, name).flatMap((entry) => {
    const check = entry.checks.get(KEEPALIVE_CHECK);
    return check?.state.event === undefined ? [entry] : [entry, check];
  });
}

/** Yields the entries whose stored bodies a removal needs: the client, and its open events. */
function* clientAndEvents(
  registry: Registry,
  namespaceName: string,
  name: string,
): Generator<CheckEntry | ClientEntry, void, undefined> {
  const entry = registry.namespace(namespaceName).clients.get(name);
  if (entry === undefined) return;
  yield entry;
  yield* eventsOf(entry);
}

/**
 * Returns the record of a client, which the command must have listed in its `needs`; undefined if `entry` is undefined.
 */
export function recordOf(transaction: Transaction, entry: ClientEntry | undefined): Client | undefined {
  return entry === undefined ? undefined : transaction.body(CLIENTS, entry);
}

function removeWithEvents(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of eventsOf(entry)) resolveEvent(transaction, check, by);
  removeClient(transaction, entry, by);
}

/** Returns a client record for the audit trail: redacted as in the API, and without its signature. */
export function auditedRecord(record: Client): Readonly<Record<string, unknown>> {
  return { ...redact(record, redactKeysOf(record)), signature: undefined };
}

/** Removes the ban and the tombstone of a deleted client, because it is created again. */
export function liftBan(transaction: Transaction, namespace: Namespace, name: string): void {
  if (namespace.invalidated.has(name)) transaction.remove(CLIENT_BANS, namespace, name);
  if (namespace.tombstones.has(name)) transaction.remove(TOMBSTONES, namespace, name);
}

/** Returns the submitted subscriptions without duplicates, and appends the client's own subscription if missing. */
function ownSubscriptions({ name, subscriptions }: SubmittedClient): string[] {
  return [...new Set([...(subscriptions ?? []), clientSubscription(name)])];
}

function integerOrUndefined(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}
