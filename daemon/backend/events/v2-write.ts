import { MonError } from '../../../shared/errors.ts';
import { isSettings } from '../../../shared/domain/merge-settings.ts';
import { checkRedactKeysOf, restoreRedacted } from '../../../shared/domain/redact.ts';
import { checkResultOf } from '../../../shared/domain/result.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { SubmittedV2Entity } from '../../../shared/schemas/v2/entity.ts';
import type { CheckResult, SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { CheckRecord } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import { saveEntity } from '../clients/v2-write.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { auditedEvent } from './commands.ts';
import { notifyRegistration } from '../notify/notifications.ts';
import { processReported, processResult, type IncomingResult } from '../results/process-result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { bannedClientError, isBannedClient } from '../results/trust.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { removeCheck } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import { CLIENTS } from '../model/clients/storage.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/** A submitted v2 event, split into its entity and its check result. */
export interface ReportedEvent {
  readonly entity: SubmittedV2Entity;
  readonly result: SubmittedResult;
  /**
   * True if a user resolves the event: an OK result then resolves it even if the check's definition would keep it open.
   */
  readonly isResolution: boolean;
}

export interface V2EventKey {
  readonly client: string;
  readonly check: string;
}

/** The current client and check record of an existing event or result. */
export interface PresentEvent {
  readonly entry: CheckEntry;
  readonly client: Client;
  readonly record: CheckRecord;
}

interface V2EventDependencies {
  readonly batcher: Batcher;
  readonly definitions: Definitions;
  readonly entityLimit: EntityLimit;
  /** Limits on the attributes of entities and results; default: the fixed limits of `AttributeBounds`. */
  readonly attributes?: AttributeBounds;
}

/** Writes and removes events for the v2 API, where a check result and its event are one object. */
export class V2Events {
  readonly #dependencies: Required<V2EventDependencies>;

  constructor(dependencies: V2EventDependencies) {
    this.#dependencies = { attributes: new AttributeBounds(), ...dependencies };
  }

  /**
   * Processes a submitted event as a check result. If its entity does not exist, it is created from the event.
   *
   * @param change callback that gets the current state (undefined if there is none) and returns the event to store; it
   *   throws to reject the change
   * @throws MonError `not_found` if there is no such namespace, `payment_required` if a new entity exceeds the entity
   *   limit, `forbidden` if the entity was deleted and is still banned, `too_large` or `invalid` if attributes exceed
   *   their limits, `unavailable` if the change cannot be committed
   */
  write(
    namespaceName: string,
    { client, check }: V2EventKey,
    change: (present: PresentEvent | undefined) => ReportedEvent,
    actor: Actor,
  ): Promise<void> {
    return this.#dependencies.batcher.run(
      (transaction) => {
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const entry = namespace.check(client, check);
        const present = entry === undefined ? undefined : presentEvent(transaction, entry);
        const event = restoreSecrets(change(present), present);
        const refusal = this.#dependencies.attributes.refusalOf(event.result);
        if (refusal !== undefined) throw refusal;
        transaction.refuseNew(entry);
        if (isBannedClient(namespace, client, transaction.nowMs)) throw bannedClientError(client);
        this.#ensureClient(transaction, namespace, event, actor);
        const process = event.isResolution ? processResult : processReported;
        process(transaction, namespace, this.#incoming(namespaceName, client, event, entry, transaction.now));
      },
      { isReported: true, needs: (registry) => entriesOf(registry, namespaceName, client, check) },
    );
  }

  /**
   * Removes the result of a check on a client. If an event is open, it is resolved first, as in every removal
   * (completion, Decisions).
   *
   * @param refuse callback that gets the current state and throws to reject the removal
   * @throws MonError `not_found` if there is neither a result nor an event, `unavailable` if the change cannot be
   *   committed
   */
  remove(
    namespaceName: string,
    { client, check }: V2EventKey,
    refuse: (present: PresentEvent) => void,
    actor: Actor,
  ): Promise<void> {
    return this.#dependencies.batcher.run(
      (transaction) => {
        const entry = transaction.registry.namespace(namespaceName).check(client, check);
        if (entry === undefined) throw new MonError('not_found', 'not found');
        refuse(presentEvent(transaction, entry));
        const before = auditedEvent(entry) ?? { status: entry.status, executed: entry.executed };
        if (entry.state.event !== undefined) resolveEvent(transaction, entry, actor.who);
        removeCheck(transaction, entry, actor.who);
        recordAudit(transaction, actor, {
          action: 'event.delete',
          target: auditTarget(namespaceName, `${client}/${check}`),
          before,
        });
      },
      { needs: (registry) => entriesOf(registry, namespaceName, client, check) },
    );
  }

  #incoming(
    namespaceName: string,
    client: string,
    { result, isResolution }: ReportedEvent,
    entry: CheckEntry | undefined,
    now: number,
  ): IncomingResult {
    const definition = this.#dependencies.definitions.inNamespace(namespaceName).check(result.name);
    // Without a definition of the check, only handlers named in the event run: the fallback to `default` belongs to v1.
    const submitted = {
      ...(definition === undefined ? { handlers: [] } : {}),
      ...result,
      event_metadata: { timestamp: now, ...(isSettings(result['event_metadata']) ? result['event_metadata'] : {}) },
    };
    const check = checkResultOf(submitted, { reporter: client, definition, now, issued: undefined });
    const isForced = isResolution && check.status === 0 && entry?.state.event !== undefined;
    const own = removeForeignSource(check, client);
    return { client, reporter: client, check: isForced ? { ...own, force_resolve: true } : own };
  }

  #ensureClient(transaction: Transaction, namespace: Namespace, { entity }: ReportedEvent, actor: Actor): void {
    const { name } = entity.metadata;
    if (namespace.clients.has(name)) return;
    this.#dependencies.attributes.refuseClient(entity, 'entity');
    this.#dependencies.entityLimit.refuseBeyond(namespace.name, name);
    notifyRegistration(
      transaction,
      saveEntity(transaction, namespace, entity, { source: 'event', createdBy: actor.who }),
    );
  }
}

/**
 * Removes a `source` other than `client`, even if the definition sets it: the event belongs to the entity that it
 * names.
 */
function removeForeignSource(check: CheckResult, client: string): CheckResult {
  const { source, ...others } = check;
  return source === undefined || source === client ? check : others;
}

/** Returns the entries of a client and its check, as far as they exist, whose bodies a change of the event needs. */
function entriesOf(
  registry: Registry,
  namespace: string,
  client: string,
  check: string,
): readonly (CheckEntry | ClientEntry)[] {
  const owner = registry.namespace(namespace).clients.get(client);
  if (owner === undefined) return [];
  const entry = owner.checks.get(check);
  return entry === undefined ? [owner] : [owner, entry];
}

function presentEvent(transaction: Transaction, entry: CheckEntry): PresentEvent {
  const client = transaction.body(CLIENTS, entry.client);
  return { entry, client, record: { ...entry.state, ...transaction.body(CHECK_RECORDS, entry) } };
}

/** Replaces redacted values by the stored secrets, for a caller that reads an event and writes it back. */
function restoreSecrets(event: ReportedEvent, present: PresentEvent | undefined): ReportedEvent {
  if (present === undefined) return event;
  const { entry, record } = present;
  const keys = checkRedactKeysOf(entry.client);
  return { ...event, result: restoreRedacted(event.result, record.eventCheck ?? record.check, keys) };
}
