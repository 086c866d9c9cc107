import { MonError } from '../../../shared/errors.ts';
import { addedToEntity } from '../../../shared/domain/v2/entity.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import { redact, redactKeysOf } from '../../../shared/domain/redact.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client, SubmittedClient } from '../../../shared/schemas/client.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import { type CheckEntry, type ClientEntry, eventsOf, type Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { ALWAYS, type Admission } from '../access/admission.ts';
import { MON, recordAudit, targetIn, type AuditedChange } from '../audit/write.ts';
import { recordBulk } from '../audit/bulk.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { EntityLimit } from './entity-limit.ts';
import { handleDeregistration } from '../handlers/handle-deregistration.ts';
import { handleRegistration } from '../handlers/handle-registration.ts';
import type { Transaction } from '../commit/transaction.ts';
import { processResult, type IncomingResult } from '../results/process-result.ts';
import { admitKeepalive } from '../results/trust.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown.ts';
import { refuseGrowthOf, removeClient, saveClient } from './saved.ts';
import { INVALIDATED, TOMBSTONES, CLIENTS } from './table.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** How a deleted client is kept from coming back (completion 1.6). */
export interface Invalidation {
  /** Seconds for which its keepalives and results are refused; undefined: not at all. */
  readonly expireSeconds: number | undefined;
}

interface ClientParts {
  readonly batcher: Batcher;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
  /** Default: those of the settings. */
  readonly attributes?: AttributeBounds;
  /** How long late results cannot bring a deleted client back; asked at each deletion, since a reload changes it. */
  readonly quarantineSeconds: number;
}

/** Clients that are removed in one commit. */
const SLICE = 100;

/** How clients come, show signs of life and go. */
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
   * Stores a client posted through the API, replacing the one of that name as a whole (completion 1.6). Whoever may do
   * that may also let a deleted one back in.
   *
   * @throws MonError `not_found` when its namespace is gone, `too_large` or `invalid` when it brings along too much,
   * `no_memory` when there is none for it, `unavailable`
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
   * Stores what a client says about itself, as its sign of life. The first signature it shows becomes its own for good.
   *
   * @throws MonError `forbidden` when the signature is missing or wrong or the client was deleted with a ban, `conflict`
   * when it was deleted since the keepalive was made, `payment_required` when it is new and one too many, `not_found`
   * when its namespace is gone, `too_large` or `invalid` when it brings along too much, `no_memory` when there is none for it
   */
  keepalive(namespaceName: string, submitted: SubmittedClient, admission = ALWAYS): Promise<Client> {
    // An agent knows nothing of what people have added to its entity.
    const { name } = submitted;
    return this.keepaliveOf(namespaceName, { name, told: submitted, admission }, (present) => ({
      ...addedToEntity(present),
      ...submitted,
    }));
  }

  /**
   * The same for a keepalive whose client depends on the one that is there already.
   *
   * @param told what the agent says of itself, which is what the limits are for
   * @param isFresh whether it is sure to be from after a deletion, by more than the second that it tells
   * @param resultOf what it tells as a result, in the same commit; undefined: nothing
   * @param clientOf told of that one, and of the time in epoch seconds
   */
  async keepaliveOf(
    namespaceName: string,
    {
      name,
      told,
      admission,
      isFresh = false,
      resultOf,
    }: {
      readonly name: string;
      readonly told: object;
      readonly admission: Admission;
      readonly isFresh?: boolean;
      readonly resultOf?: (entry: ClientEntry, record: Client, now: number) => IncomingResult | undefined;
    },
    clientOf: (present: Client | undefined, now: number) => SubmittedClient,
  ): Promise<Client> {
    this.#attributes.refuseClient(told);
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
        if (isNew) handleRegistration(transaction, entry);
        const result = resultOf?.(entry, client, transaction.now);
        if (result !== undefined) processResult(transaction, namespace, result);
        return client;
      },
      { needs: (registry) => clientAndKeepalive(registry, namespaceName, name) },
    );
  }

  /** Removes what is left of a deleted client once it may come back; called by the clock. */
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
      { needs: (registry) => wholeClient(registry, namespaceName, name) },
    );
  }

  /**
   * The same for many. They follow one another in slices, each of them whole, with its own place in the audit trail.
   *
   * @param isWanted asked when the turn of a client comes: one that gave a sign of life meanwhile may stay
   * @returns how many are gone
   * @throws MonError `unavailable`; some may be gone then, and asking again goes on with the others
   */
  async removeMany(
    namespaceName: string,
    names: readonly string[],
    isWanted: (entry: ClientEntry) => boolean,
    actor: Actor,
  ): Promise<number> {
    let removed = 0;
    for (let start = 0; start < names.length; start += SLICE) {
      removed += await this.#removeSlice(namespaceName, names.slice(start, start + SLICE), isWanted, actor);
    }
    return removed;
  }

  #removeSlice(
    namespaceName: string,
    names: readonly string[],
    isWanted: (entry: ClientEntry) => boolean,
    actor: Actor,
  ): Promise<number> {
    const takeAway = this.#takeAway.bind(this);
    return this.#batcher.runSteps(
      function* (transaction) {
        const { clients } = transaction.registry.namespace(namespaceName);
        const wanted = names.flatMap((name) => clients.get(name) ?? []).filter(isWanted);
        const changes: AuditedChange[] = [];
        for (const entry of wanted) {
          const before = { timestamp: entry.timestamp, events: entry.openEvents };
          takeAway(transaction, entry, actor.who);
          changes.push({ action: 'client.delete', target: targetIn(namespaceName, entry.name), before });
          yield;
        }
        yield* recordBulk(transaction, actor, 'bulk', changes);
        return wanted.length;
      },
      {
        weight: names.length,
        needs: (registry) => names.flatMap((name) => [...wholeClient(registry, namespaceName, name)]),
      },
    );
  }

  /** Removes a client so that its late results do not bring it back. */
  #takeAway(transaction: Transaction, entry: ClientEntry, by: string): void {
    const { nowMs } = transaction;
    removeWithEvents(transaction, entry, by);
    const quarantineMs = this.#parts.quarantineSeconds * 1000;
    if (quarantineMs === 0) return;
    transaction.put(TOMBSTONES, entry.namespace, entry.name, { deletedMs: nowMs, untilMs: nowMs + quarantineMs });
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
        if (entry?.profile.deregisters !== true) return;
        handleDeregistration(transaction, entry);
        removeWithEvents(transaction, entry, MON.who);
      },
      { needs: (registry) => wholeClient(registry, namespaceName, name) },
    );
  }
}

/** A client, for its record. */
export function clientNamed(registry: Registry, namespaceName: string, name: string): ClientEntry[] {
  const entry = registry.namespace(namespaceName).clients.get(name);
  return entry === undefined ? [] : [entry];
}

/** The record of a client, and the body of its keepalive event, which its next keepalive may end. */
function clientAndKeepalive(registry: Registry, namespaceName: string, name: string): (CheckEntry | ClientEntry)[] {
  return clientNamed(registry, namespaceName, name).flatMap((entry) => {
    const check = entry.checks.get(KEEPALIVE_CHECK);
    return check?.state.event === undefined ? [entry] : [entry, check];
  });
}

/** The record of a client, and the bodies of its events. */
function* wholeClient(
  registry: Registry,
  namespaceName: string,
  name: string,
): Generator<CheckEntry | ClientEntry, void, undefined> {
  const entry = registry.namespace(namespaceName).clients.get(name);
  if (entry === undefined) return;
  yield entry;
  yield* eventsOf(entry);
}

/** The record of a client that a command asked for; undefined: there is no such client. */
export function recordOf(transaction: Transaction, entry: ClientEntry | undefined): Client | undefined {
  return entry === undefined ? undefined : transaction.body(CLIENTS, entry);
}

function removeWithEvents(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of eventsOf(entry)) resolveEvent(transaction, check, by);
  removeClient(transaction, entry, by);
}

/** What the audit trail keeps of a client: what the API shows of it, without its signature. */
export function auditedRecord(record: Client): Readonly<Record<string, unknown>> {
  return { ...redact(record, redactKeysOf(record)), signature: undefined };
}

/** Whoever is here again was never deleted. */
export function letIn(transaction: Transaction, namespace: Namespace, name: string): void {
  if (namespace.invalidated.has(name)) transaction.remove(INVALIDATED, namespace, name);
  if (namespace.tombstones.has(name)) transaction.remove(TOMBSTONES, namespace, name);
}

/** The subscriptions without repetitions, with the client's own at the end unless it is among them. */
function ownSubscriptions({ name, subscriptions }: SubmittedClient): string[] {
  return [...new Set([...(subscriptions ?? []), clientSubscription(name)])];
}

function integerOrUndefined(value: unknown): number | undefined {
  return Number.isInteger(value) ? (value as number) : undefined;
}
