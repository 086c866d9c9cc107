import { parseExpiry } from '../../../shared/domain/expiry.ts';
import { recurrenceOf } from '../../../shared/domain/recurrence.ts';
import {
  entriesEndedByResolve,
  entryId,
  withCurrentWindow,
  isExpiredForGood,
  replacementProblem,
  silencedEntry,
  silencedRow,
  targetId,
} from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Acknowledgement } from '../../../shared/schemas/acknowledgement.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { BulkOperation, BulkOutcome, BulkRefusal, BulkRequest } from '../../../shared/schemas/bulk.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { recordAudit, auditTarget, type AuditedChange } from '../model/audit/mutations.ts';
import { recordBulk } from '../audit/bulk.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { StepGenerator } from '../commit/command.ts';
import { acknowledgeEvent } from '../acknowledgements/commands.ts';
import { saveAcknowledgement } from '../model/events/mutations.ts';
import { refuseUnknownNamespace } from '../namespaces/unknown-namespace.ts';
import { auditedEvent } from '../events/commands.ts';
import {
  auditedSilence,
  beginProblem,
  DEFAULT_SILENCES_MAX,
  unexpiredEntry,
  refuseTooMany,
  timeProblem,
  type LoadSelectorAttributes,
  type SilencesMax,
} from '../silences/commands.ts';
import { refuseBeyondBudget } from '../model/silences/selector-budget.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { removeSilenced, saveSilenced } from '../model/silences/mutations.ts';
import { resolveEvent } from '../results/resolve-event.ts';

type OperationOf<Op extends BulkOperation['op']> = Extract<BulkOperation, { readonly op: Op }>;

/** The outcome of an operation, and its change for the audit trail. The change is absent if the operation failed. */
interface OperationResult {
  readonly outcome: BulkOutcome;
  readonly change?: AuditedChange;
}

/** Applies the operations of a bulk request in one commit. */
export class Bulk {
  readonly #batcher: Batcher;
  readonly #silencesMax: SilencesMax;
  readonly #loadSelectorAttributes: LoadSelectorAttributes;

  /** @param learn callback that reads into memory the attributes to which the selectors refer */
  constructor(
    batcher: Batcher,
    silencesMax = DEFAULT_SILENCES_MAX,
    learn: LoadSelectorAttributes = async () => undefined,
  ) {
    this.#batcher = batcher;
    this.#silencesMax = silencesMax;
    this.#loadSelectorAttributes = learn;
  }

  /**
   * Applies the operations of a bulk request in order, in one commit. If it throws, nothing was changed.
   *
   * @returns the outcome of each operation. Unless `expect` is `all`, an impossible operation is skipped, and its
   *   outcome contains the reason.
   * @throws MonError `not_found` if the namespace was deleted, `invalid` if a silence has invalid times, `conflict` if
   *   an operation is impossible and `expect` is `all`, or if a recurring silence would be replaced, `unavailable`
   */
  async run(namespaceName: string, { operations, expect, undo }: BulkRequest, actor: Actor): Promise<BulkOutcome[]> {
    const selectors = operations.flatMap((operation) => selectorOf(operation) ?? []);
    if (selectors.length > 0) await this.#loadSelectorAttributes(namespaceName, selectors);
    const silencesMax = this.#silencesMax;
    return await this.#batcher.runSteps(
      function* (transaction) {
        refuseUnknownNamespace(transaction.registry, namespaceName);
        const namespace = transaction.registry.namespace(namespaceName);
        const made = yield* silenceIdsCreatedBy(operations);
        refuseTooMany(namespace, made, silencesMax());
        for (const id of made) transaction.refuseNew(namespace.silenced.get(id));
        if (selectors.length > 0) refuseBeyondBudget(namespace);
        yield* refuseBadTimes(namespace, operations, transaction.nowMs);
        if (expect === 'all') yield* refuseMissing(namespace, operations, transaction.nowMs);
        const all: OperationResult[] = [];
        for (const operation of operations) {
          all.push(performOperation(transaction, namespace, operation, actor.who));
          yield;
        }
        const changes = all.flatMap(({ change }) => change ?? []).map((change) => addNamespace(namespaceName, change));
        yield;
        const [only] = changes;
        if (only !== undefined && operations.length === 1 && undo !== true) recordAudit(transaction, actor, only);
        else yield* recordBulk(transaction, actor, undo === true ? 'undo' : 'bulk', changes);
        return all.map(({ outcome }) => outcome);
      },
      {
        weight: operations.length,
        needs: (registry) => openEvents(registry, namespaceName, operations),
      },
    );
  }
}

function selectorOf(operation: BulkOperation): string | null | undefined {
  if (operation.op === 'silence') return operation.selector;
  return operation.op === 'restore' ? operation.entry.selector : undefined;
}

function addNamespace(namespace: string, change: AuditedChange): AuditedChange {
  return { ...change, target: auditTarget(namespace, change.target) };
}

/** Returns the ids of the silences that the operations create or restore. */
function* silenceIdsCreatedBy(operations: readonly BulkOperation[]): StepGenerator<string[]> {
  const ids: string[] = [];
  for (const operation of operations) {
    if (operation.op === 'silence' || operation.op === 'restore') ids.push(targetOf(operation));
    yield;
  }
  return ids;
}

/**
 * Rejects operations that would store a silence with invalid times, or replace a recurring silence.
 *
 * @throws MonError `invalid` or `conflict`, with a message that contains the index of the operation
 */
function* refuseBadTimes(namespace: Namespace, operations: readonly BulkOperation[], nowMs: number): StepGenerator {
  for (const [index, operation] of operations.entries()) {
    yield;
    const prefix = `operations.${String(index)}: `;
    if (operation.op === 'restore') {
      const problem = beginProblem(operation.entry.begin, nowMs / 1000);
      if (problem !== undefined) throw new MonError('invalid', prefix + problem);
    }
    if (operation.op !== 'silence') continue;
    const entry = silencedEntry(operation, nowMs);
    const problem = timeProblem(entry, nowMs);
    if (problem !== undefined) throw new MonError('invalid', prefix + problem);
    const lost = replacementProblem(unexpiredEntry(namespace, entry.id, nowMs), entry);
    if (lost !== undefined) throw new MonError('conflict', prefix + lost);
  }
}

function openEvents(registry: Registry, namespaceName: string, operations: readonly BulkOperation[]): CheckEntry[] {
  const namespace = registry.namespace(namespaceName);
  return operations.flatMap((operation) => {
    const entry = targetsEvent(operation) ? namespace.check(operation.client, operation.check) : undefined;
    return entry?.state.event === undefined ? [] : [entry];
  });
}

function performOperation(
  transaction: Transaction,
  namespace: Namespace,
  operation: BulkOperation,
  by: string,
): OperationResult {
  const error = refusalOf(namespace, operation, transaction.nowMs);
  if (error !== undefined) return { outcome: { ok: false, error } };
  switch (operation.op) {
    case 'silence':
      return putSilence(transaction, namespace, silencedEntry(operation, transaction.nowMs), by);
    case 'restore':
      return putSilence(transaction, namespace, restoredEntry(operation, transaction.nowMs), by, 'silence.restore');
    case 'clear':
      return clearSilence(transaction, namespace, operation, by);
    case 'resolve':
      return resolveOperation(transaction, namespace, operation, by);
    case 'acknowledge':
      return acknowledgeOperation(transaction, namespace, operation, by);
    case 'unacknowledge':
      return unacknowledgeOperation(transaction, namespace, operation, by);
  }
}

/** Returns the reason why an operation is impossible in the current state, or undefined if it is possible. */
function refusalOf(namespace: Namespace, operation: BulkOperation, nowMs: number): BulkRefusal | undefined {
  switch (operation.op) {
    case 'silence':
      return undefined;
    case 'resolve':
      return namespace.check(operation.client, operation.check)?.state.event === undefined ? 'not_found' : undefined;
    case 'acknowledge':
      if (namespace.check(operation.client, operation.check)?.state.event === undefined) return 'not_found';
      return isExpiredTime(operation.expires_at, nowMs) ? 'expired' : undefined;
    case 'unacknowledge': {
      const event = namespace.check(operation.client, operation.check)?.state.event;
      return event?.acknowledgement === undefined ? 'not_found' : undefined;
    }
    case 'clear': {
      const present = unexpiredEntry(namespace, operation.id, nowMs);
      if (present === undefined) return 'not_found';
      return isAsExpected(operation, present) ? undefined : 'changed';
    }
    case 'restore': {
      const entry = restoredEntry(operation, nowMs);
      if (isExpiredForGood(entry, nowMs)) return 'expired';
      return isAsExpected(operation, unexpiredEntry(namespace, entry.id, nowMs)) ? undefined : 'changed';
    }
  }
}

function isAsExpected(
  { if_timestamp: expected }: { readonly if_timestamp?: number | null | undefined },
  present: SilencedEntry | undefined,
): boolean {
  return expected === undefined || expected === (present?.timestamp ?? null);
}

function putSilence(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: string,
  action?: 'silence.restore',
): OperationResult {
  const before = unexpiredEntry(namespace, entry.id, transaction.nowMs);
  saveSilenced(transaction, namespace, entry, by);
  const undo: BulkOperation =
    before === undefined
      ? { op: 'clear', id: entry.id, if_timestamp: entry.timestamp }
      : restoreOperation(before, entry.timestamp);
  const made = before === undefined ? 'silence.create' : 'silence.replace';
  return {
    outcome: { ok: true, undo },
    change: {
      action: action ?? made,
      target: entry.id,
      before: auditedSilence(before),
      after: auditedSilence(entry),
      reason: entry.reason,
    },
  };
}

function clearSilence(
  transaction: Transaction,
  namespace: Namespace,
  { id }: OperationOf<'clear'>,
  by: string,
): OperationResult {
  const entry = unexpiredEntry(namespace, id, transaction.nowMs);
  if (entry === undefined) throw new Error(`internal error: the silence ${id} disappeared during the operation`);
  removeSilenced(transaction, namespace, entry, by);
  return {
    outcome: { ok: true, undo: restoreOperation(entry, null) },
    change: { action: 'silence.clear', target: id, before: auditedSilence(entry) },
  };
}

function resolveOperation(
  transaction: Transaction,
  namespace: Namespace,
  { client, check }: OperationOf<'resolve'>,
  by: string,
): OperationResult {
  const entry = openEntry(namespace, client, check);
  const before = auditedEvent(entry);
  resolveEvent(transaction, entry, by);
  return { outcome: { ok: true }, change: { action: 'event.resolve', target: `${client}/${check}`, before } };
}

function acknowledgeOperation(
  transaction: Transaction,
  namespace: Namespace,
  { client, check, ...request }: OperationOf<'acknowledge'>,
  by: string,
): OperationResult {
  const entry = openEntry(namespace, client, check);
  const before = entry.state.event?.acknowledgement;
  const after = acknowledgeEvent(transaction, entry, { ...request, owner: request.owner ?? by }, by);
  return {
    outcome: { ok: true, undo: acknowledgementOperation(client, check, before) },
    change: {
      action: 'event.acknowledge',
      target: `${client}/${check}`,
      before: before ?? null,
      after,
      reason: after.note ?? null,
    },
  };
}

function unacknowledgeOperation(
  transaction: Transaction,
  namespace: Namespace,
  { client, check }: OperationOf<'unacknowledge'>,
  by: string,
): OperationResult {
  const entry = openEntry(namespace, client, check);
  const before = entry.state.event?.acknowledgement;
  saveAcknowledgement(transaction, entry, undefined, by);
  return {
    outcome: { ok: true, undo: acknowledgementOperation(client, check, before) },
    change: { action: 'event.unacknowledge', target: `${client}/${check}`, before: before ?? null },
  };
}

/** Returns the operation that gives an event this acknowledgement; undefined: that removes its acknowledgement. */
function acknowledgementOperation(
  client: string,
  check: string,
  acknowledgement: Acknowledgement | undefined,
): BulkOperation {
  if (acknowledgement === undefined) return { op: 'unacknowledge', client, check };
  const { owner, note, until, sticky } = acknowledgement;
  return {
    op: 'acknowledge',
    client,
    check,
    owner,
    ...(note !== undefined && { note }),
    ...(until !== undefined && { expires_at: until }),
    ...(sticky === true && { sticky }),
  };
}

/** Returns the entry of a check with an open event, whose existence was checked before. */
function openEntry(namespace: Namespace, client: string, check: string): CheckEntry {
  const entry = namespace.check(client, check);
  if (entry === undefined)
    throw new Error(`internal error: the event ${client}/${check} disappeared during the operation`);
  return entry;
}

function isExpiredTime(seconds: number | null | undefined, nowMs: number): boolean {
  return typeof seconds === 'number' && seconds * 1000 <= nowMs;
}

function targetsEvent(
  operation: BulkOperation,
): operation is OperationOf<'resolve'> | OperationOf<'acknowledge'> | OperationOf<'unacknowledge'> {
  return operation.op === 'resolve' || operation.op === 'acknowledge' || operation.op === 'unacknowledge';
}

/**
 * Returns the operation that restores a silence.
 *
 * @param ifTimestamp timestamp that an existing silence with this id must have when it is replaced; null if no such
 *   silence may exist
 */
function restoreOperation(entry: SilencedEntry, ifTimestamp: number | null): BulkOperation {
  return { op: 'restore', entry: silencedRow(entry), if_timestamp: ifTimestamp };
}

function restoredEntry({ entry }: OperationOf<'restore'>, nowMs: number): SilencedEntry {
  const { subscription, check, reason, creator, begin, expire_on_resolve, timestamp } = entry;
  const { selector, lifetime, labels, annotations, asterisks, recurrence, reminder_sent } = entry;
  const restored: SilencedEntry = {
    id: entryId(entry),
    subscription,
    check,
    reason,
    creator,
    begin,
    expireAtMs: parseExpiry(entry.expire_at),
    expire_on_resolve,
    timestamp,
    ...(selector !== undefined && { selector }),
    ...(lifetime !== undefined && { lifetime }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(asterisks !== undefined && { asterisks }),
    ...(recurrence !== undefined && { recurrence: recurrenceOf(recurrence) }),
    ...(reminder_sent !== undefined && { reminder_sent }),
  };
  return withCurrentWindow(restored, nowMs);
}

/**
 * Rejects a bulk request if one of its operations is impossible. All operations are checked before the first change,
 * because a rejected request must change nothing. Each target must occur only once. A `clear` of a silence that an
 * earlier `resolve` would end counts as impossible.
 *
 * @throws MonError `conflict` with the index and target of the first impossible operation
 */
function* refuseMissing(namespace: Namespace, operations: readonly BulkOperation[], nowMs: number): StepGenerator {
  const targets = new Set<string>();
  const ended = new Set<string>();
  for (const [index, operation] of operations.entries()) {
    yield;
    const target = targetOf(operation);
    const isEnded = operation.op === 'clear' && ended.has(target);
    const refusal = isEnded ? 'not_found' : refusalOf(namespace, operation, nowMs);
    if (operation.op === 'resolve') for (const id of silenceIdsEndedBy(namespace, operation, nowMs)) ended.add(id);
    if (refusal === undefined && !targets.has(target)) {
      targets.add(target);
      continue;
    }
    const why = refusal === undefined ? 'appears twice' : REFUSAL_TEXTS[refusal];
    throw new MonError('conflict', `operations.${String(index)}: ${target} ${why}, so nothing was changed`);
  }
}

/** Returns the ids of the silences that end when the operation resolves its event. */
function silenceIdsEndedBy(namespace: Namespace, { client, check }: OperationOf<'resolve'>, nowMs: number): string[] {
  const subscriptions = namespace.clients.get(client)?.subscriptions ?? [];
  const selected = namespace.check(client, check)?.selected();
  return entriesEndedByResolve(namespace.silenced, subscriptions, check, nowMs, selected).map(({ id }) => id);
}

const REFUSAL_TEXTS: Readonly<Record<BulkRefusal, string>> = {
  not_found: 'does not exist',
  changed: 'has changed since then',
  expired: 'has expired',
};

function targetOf(operation: BulkOperation): string {
  switch (operation.op) {
    case 'silence':
      return targetId(operation);
    case 'restore':
      return entryId(operation.entry);
    case 'clear':
      return operation.id;
    case 'resolve':
    case 'acknowledge':
    case 'unacknowledge':
      return `${operation.client}/${operation.check}`;
  }
}
