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
import { ALWAYS, type Admission } from '../access/admission.ts';
import { MON, recordAudit, targetIn, type AuditedChange } from '../model/audit/mutations.ts';
import { recordBulk } from '../audit/bulk.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { notifyDeregistration, notifyRegistration } from '../notify/notifications.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { processResult, type IncomingResult } from '../results/process-result.ts';
import { admitKeepalive } from '../results/trust.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { refuseGrowthOf, removeClient, saveClient } from '../model/clients/mutations.ts';
import { INVALIDATED, TOMBSTONES, CLIENTS } from '../model/clients/storage.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** Prevents a deleted client from being created again (completion 1.6). */
export interface Invalidation {
  /** Seconds for which its keepalives and results are rejected; undefined: they are not. */
  readonly expireSeconds: number | undefined;
}

interface ClientParts {
  readonly batcher: Batcher;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
  /** Default: those of the settings. */
  readonly attributes?: AttributeBounds;
  /**
   * Seconds for which late results cannot create a deleted client again; read at each deletion, since a reload changes
   * it.
   */
  readonly quarantineSeconds: number;
}

/** Number of clients that are removed in one commit. */
const SLICE = 100;

/** Creates clients, records their keepalives, and removes clients. */
export class Clients {
  readonly #batcher: Batcher;
  readonly #parts: ClientParts;
  readonly #attributes: AttributeBounds;

  constructor(parts: ClientParts) {
    this.#batcher = parts.batcher;
    this.#parts = parts;
    this.#attributes = parts.attributes ?? new AttributeBounds();
  }

  /**
   * Stores a client posted through the API, and replaces the one of that name as a whole (completion 1.6). A caller
   * with this right may also re-create a deleted client.
   *
   * @throws MonError `not_found` if its namespace is deleted, `too_large` or `invalid` if its attributes exceed the
   *   limits, `no_memory` if memory is full, `unavailable`
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
      letIn(transaction, namespace, client.name);
      saveClient(transaction, namespace, client, { signature, isCounted: false });
    });
  }

  /**
   * Stores the attributes that a client reports about itself, as its keepalive. Its first signature becomes permanent.
   *
   * @throws MonError `forbidden` if the signature is missing or wrong or the client was deleted with a ban, `conflict`
   *   if it was deleted since the keepalive was made, `payment_required` if it is new and exceeds the limit,
   *   `not_found` if its namespace is deleted, `too_large` or `invalid` if its attributes exceed the limits,
   *   `no_memory` if memory is full
   */
  keepalive(namespaceName: string, submitted: SubmittedClient, admission = ALWAYS): Promise<Client> {
    // Kept, because an agent does not know what people have added to its entity.
    const { name } = submitted;
    return this.keepaliveOf(namespaceName, { name, reportedAttributes: submitted, admission }, (present) => ({
      ...addedToEntity(present),
      ...submitted,
    }));
  }

  /**
   * Stores a keepalive whose client depends on the present one.
   *
   * @param told the attributes that the agent reports, to which the limits apply
   * @param isFresh true if it is certainly from after a deletion, although its time has only a resolution of seconds
   * @param resultOf returns a result that is recorded in the same commit; undefined: none
   * @param clientOf called with the present client, and the time in epoch seconds
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
        this.#parts.entityLimit.refuseBeyond(namespaceName, submitted.name);
        const client: Client = {
          version: COMPATIBLE_VERSION,
          ...submitted,
          timestamp: Math.min(madeAt ?? transaction.now, transaction.now),
          subscriptions: ownSubscriptions(submitted),
        };
        refuseGrowthOf(transaction, present, client);
        letIn(transaction, namespace, submitted.name);
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

  /** Removes the marks of a deleted client once it may be created again; called by the clock. */
  forget(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run((transaction) => {
      const namespace = transaction.registry.namespace(namespaceName);
      const { nowMs } = transaction;
      if ((namespace.tombstones.get(name)?.untilMs ?? Infinity) <= nowMs) {
        transaction.remove(TOMBSTONES, namespace, name);
      }
      if ((namespace.invalidated.get(name) ?? Infinity) <= nowMs) {
        transaction.remove(INVALIDATED, namespace, name);
      }
    });
  }

  /**
   * Resolves all events of a client, then removes it with its results (completion 1.6).
   *
   * @param check called with the client; throws to reject the removal
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
        const record = transaction.body(CLIENTS, entry);
        check(record);
        const before = { ...auditedRecord(record), events: entry.openEvents };
        this.#takeAway(transaction, entry, actor.who);
        recordAudit(transaction, actor, { action: 'client.delete', target: targetIn(namespaceName, name), before });
        const { expireSeconds } = invalidation;
        if (expireSeconds !== undefined) {
          transaction.put(INVALIDATED, namespace, name, transaction.nowMs + expireSeconds * 1000);
        }
      },
      { needs: (registry) => clientAndEvents(registry, namespaceName, name) },
    );
  }

  /**
   * Removes many clients in batches. Each batch is one commit, with its own record in the audit trail.
   *
   * @param isSelected called when it is the turn of a client: a client that sent a keepalive meanwhile may stay
   * @returns the number of removed clients
   * @throws MonError `unavailable`; some may be removed then, and a repeated call continues with the others
   */
  async removeMany(
    namespaceName: string,
    names: readonly string[],
    isSelected: (entry: ClientEntry) => boolean,
    actor: Actor,
  ): Promise<number> {
    let removed = 0;
    for (let start = 0; start < names.length; start += SLICE) {
      removed += await this.#removeSlice(namespaceName, names.slice(start, start + SLICE), isSelected, actor);
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
          changes.push({ action: 'client.delete', target: targetIn(namespaceName, entry.name), before });
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

  /** Removes a client so that its late results do not create it again. */
  #takeAway(transaction: Transaction, entry: ClientEntry, by: string): void {
    const { nowMs } = transaction;
    removeWithEvents(transaction, entry, by);
    const quarantineMs = this.#parts.quarantineSeconds * 1000;
    if (quarantineMs === 0) return;
    transaction.put(TOMBSTONES, entry.namespace, entry.name, { deletedMs: nowMs, untilMs: nowMs + quarantineMs });
  }

  /**
   * Removes a client whose agent has left permanently, and notifies the handler of deregistrations. Nothing happens if
   * the client is deleted, or does not (or no longer) request that.
   *
   * @throws MonError `unavailable`
   */
  deregister(namespaceName: string, name: string): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).clients.get(name);
        if (entry?.profile.deregisters !== true) return;
        notifyDeregistration(transaction, entry);
        removeWithEvents(transaction, entry, MON.who);
      },
      { needs: (registry) => clientAndEvents(registry, namespaceName, name) },
    );
  }
}

/** Returns the entry of a client, for its record. */
export function clientNamed(registry: Registry, namespaceName: string, name: string): ClientEntry[] {
  const entry = registry.namespace(namespaceName).clients.get(name);
  return entry === undefined ? [] : [entry];
}

/**
 * Returns the entries for the record of a client and the body of its keepalive event, which its next keepalive may
 * resolve.
 */
function clientAndKeepalive(registry: Registry, namespaceName: string, name: string): (CheckEntry | ClientEntry)[] {
  return clientNamed(registry, namespaceName, name).flatMap((entry) => {
    const check = entry.checks.get(KEEPALIVE_CHECK);
    return check?.state.event === undefined ? [entry] : [entry, check];
  });
}

/** Yields the entries for the record of a client and the bodies of its events. */
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

/** Returns the record of a client that a command requested; undefined: there is no such client. */
export function recordOf(transaction: Transaction, entry: ClientEntry | undefined): Client | undefined {
  return entry === undefined ? undefined : transaction.body(CLIENTS, entry);
}

function removeWithEvents(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of eventsOf(entry)) resolveEvent(transaction, check, by);
  removeClient(transaction, entry, by);
}

/** Returns a client for the audit trail: as the API shows it, without its signature. */
export function auditedRecord(record: Client): Readonly<Record<string, unknown>> {
  return { ...redact(record, redactKeysOf(record)), signature: undefined };
}

/** Removes the marks of a deletion: the client exists again. */
export function letIn(transaction: Transaction, namespace: Namespace, name: string): void {
  if (namespace.invalidated.has(name)) transaction.remove(INVALIDATED, namespace, name);
  if (namespace.tombstones.has(name)) transaction.remove(TOMBSTONES, namespace, name);
}

/** Returns the subscriptions without duplicates, with the client's own at the end unless it is among them. */
function ownSubscriptions({ name, subscriptions }: SubmittedClient): string[] {
  return [...new Set([...(subscriptions ?? []), clientSubscription(name)])];
}

function integerOrUndefined(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}
