import { joinRenamedCheckStates } from '../../../shared/domain/check-rename.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { CheckBodies } from '../model/events/check-record.ts';
import type { CheckEntry, ClientEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { BACKEND_ACTOR, recordAudit, auditTarget } from '../model/audit/mutations.ts';
import type { Batcher } from '../commit/batcher.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { recordStoredEventAsInhibitor } from '../notify/inhibitions/event-inhibition.ts';
import type { EventKey } from '../notify/event-queue.ts';
import { renotifyOpenEventAfterSilence } from '../notify/silence-ends/commands.ts';
import { inhibitorsOf } from '../model/notify/inhibitions/state.ts';
import { announceEvent, removeCheck, saveCheck, saveNotifications } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import { mergeMembers, renameMembers } from '../model/notify/groups/mutations.ts';
import { groupsOf } from '../model/notify/groups/state.ts';
import { renamePendingResolution } from '../model/notify/silence-ends/mutations.ts';
import { pendingResolutionsOf } from '../model/notify/silence-ends/state.ts';
import { resolveEvent } from '../results/resolve-event.ts';

/**
 * Maximum number of clients whose records are renamed in one commit, so that renaming a check of a large fleet does not
 * delay other results.
 */
const SLICE_CLIENTS = 200;

/** The built-in check for keepalives. It cannot be renamed, because the backend itself creates its results. */
const KEEPALIVE_CHECK = 'keepalive';

export interface CheckRename {
  readonly from: string;
  readonly to: string;
  /** True to rename even if `from` is still defined, or a client has results under both names. */
  readonly isForced: boolean;
}

/** Renames checks in the stored results, events and groups. */
export class CheckRenamer {
  readonly #dependencies: { readonly batcher: Batcher; readonly registry: Registry; readonly definitions: Definitions };

  constructor(dependencies: {
    readonly batcher: Batcher;
    readonly registry: Registry;
    readonly definitions: Definitions;
  }) {
    this.#dependencies = dependencies;
  }

  /**
   * Moves the state of a check to its new name on every client: the last result, the history, and the event with its
   * id. Clients are processed in batches, each in one commit; after a failure a repeated call continues with the
   * remaining clients.
   *
   * If a client has results under both names, the rename is rejected unless it is forced. A forced rename merges them:
   * the results under the new name decide the state, and those under the old name precede them in the history.
   *
   * @returns the number of clients whose record was moved
   * @throws MonError `not_found` if no client has the check, `conflict` if the rename must be forced, `invalid` if the
   *   names are equal or one of them is built in, `unavailable` if the change cannot be committed
   */
  async rename(namespaceName: string, rename: CheckRename, actor: Actor = BACKEND_ACTOR): Promise<number> {
    const { from, to, isForced } = rename;
    if (from === to) throw new MonError('invalid', `the check is already named ${from}`);
    if (from === KEEPALIVE_CHECK || to === KEEPALIVE_CHECK) {
      throw new MonError('invalid', `${KEEPALIVE_CHECK} is a built-in check and cannot be renamed`);
    }
    if (!isForced && this.#dependencies.definitions.inNamespace(namespaceName).check(from) !== undefined) {
      throw new MonError(
        'conflict',
        `the check ${from} is still defined: change its name in the configuration and reload the backend, or use force`,
      );
    }
    const clients = this.#clientsWith(namespaceName, from);
    if (clients.length === 0) throw new MonError('not_found', `no client has results of the check ${from}`);
    if (!isForced) refuseBoth(rename, clients.filter((client) => client.checks.has(to)).length);

    const names = clients.map(({ name }) => name);
    let moved = 0;
    for (let start = 0; start < names.length; start += SLICE_CLIENTS) {
      const slice = names.slice(start, start + SLICE_CLIENTS);
      moved += await this.#renameOf(namespaceName, slice, rename, actor);
      const inhibited = [...this.#inhibitedBy(namespaceName, slice, rename)];
      for (let at = 0; at < inhibited.length; at += SLICE_CLIENTS) {
        await this.#renameInhibitor(namespaceName, inhibited.slice(at, at + SLICE_CLIENTS), rename);
      }
    }
    // Clients that got a result under the new name in the meantime were skipped.
    if (!isForced)
      refuseBoth(rename, this.#clientsWith(namespaceName, from).filter(({ checks }) => checks.has(to)).length);
    return moved;
  }

  #clientsWith(namespaceName: string, check: string): ClientEntry[] {
    return [...this.#dependencies.registry.namespace(namespaceName).clients.values()].filter(({ checks }) =>
      checks.has(check),
    );
  }

  /** Yields the inhibited events whose record still names the renamed event, their inhibitor, by its old check name. */
  *#inhibitedBy(
    namespaceName: string,
    clients: readonly string[],
    { from, to }: CheckRename,
  ): Generator<EventKey, void, undefined> {
    const namespace = this.#dependencies.registry.namespace(namespaceName);
    for (const client of clients) {
      for (const { rule } of inhibitorsOf(namespace).ofEvent(client, to).values()) {
        for (const entry of namespace.inhibited.eventsInhibitedBy({ rule, client, check: from })) {
          yield [namespaceName, entry.client.name, entry.name];
        }
      }
    }
  }

  /** Changes the check name of the inhibitor in these events; the inhibition rule stays the same. */
  #renameInhibitor(namespaceName: string, eventKeys: readonly EventKey[], { from, to }: CheckRename): Promise<void> {
    const entriesOf = (registry: Registry): CheckEntry[] =>
      eventKeys.flatMap(([, client, check]) => registry.namespace(namespaceName).check(client, check) ?? []);
    return this.#dependencies.batcher.run(
      (transaction) => {
        for (const entry of entriesOf(transaction.registry)) {
          const log = entry.state.event?.notifications;
          const inhibitor = log?.inhibitedBy;
          // Skips an event for which a newer result has evaluated the inhibition again.
          if (inhibitor?.check !== from || !transaction.hasBody(CHECK_RECORDS, entry)) continue;
          if (!inhibitorsOf(entry.client.namespace).ofEvent(inhibitor.client, to).has(inhibitor.rule)) continue;
          saveNotifications(transaction, entry, { ...log, inhibitedBy: { ...inhibitor, check: to } });
          transaction.writeRecord(CHECK_RECORDS, entry, transaction.body(CHECK_RECORDS, entry));
        }
      },
      { weight: eventKeys.length, needs: entriesOf },
    );
  }

  #renameOf(
    namespaceName: string,
    clients: readonly string[],
    { from, to, isForced }: CheckRename,
    actor: Actor,
  ): Promise<number> {
    // Looks up the checks at each call, because some may have been deleted in the meantime.
    const pairs = (registry: Registry): RenamePair[] => {
      const namespace = registry.namespace(namespaceName);
      return clients.flatMap((client) => {
        const before = namespace.check(client, from);
        const after = namespace.check(client, to);
        return before === undefined || (after !== undefined && !isForced) ? [] : [{ before, after }];
      });
    };
    return this.#dependencies.batcher.run(
      (transaction) => {
        const renames = pairs(transaction.registry);
        for (const { before, after } of renames) {
          if (after === undefined) moveCheck(transaction, before, to, actor.who);
          else mergeChecks(transaction, before, after, actor.who);
        }
        if (renames.length > 0) {
          const moved = renames.map(({ before }) => before.client.name);
          recordAudit(transaction, actor, {
            action: 'check.rename',
            target: auditTarget(namespaceName, from),
            after: { name: to, clients: moved },
          });
        }
        return renames.length;
      },
      {
        weight: clients.length,
        needs: (registry) =>
          pairs(registry).flatMap(({ before, after }) => {
            const records: object[] = after === undefined ? [before] : [before, after];
            return records.concat(
              groupMembersUnder(before, from),
              groupMembersUnder(before, to),
              pendingResolutionsUnder(before),
            );
          }),
      },
    );
  }
}

/** The check of one client under its old and its new name; `after` is undefined if the new name has no state. */
interface RenamePair {
  readonly before: CheckEntry;
  readonly after: CheckEntry | undefined;
}

/** Returns the pending resolution of a check on a client as a list; empty if there is none. */
function pendingResolutionsUnder({ client, name }: CheckEntry): object[] {
  const pending = pendingResolutionsOf(client.namespace).get(client.name, name);
  return pending === undefined ? [] : [pending];
}

/** Returns the members of notification groups that stand for the event of the check `name` on the same client. */
function groupMembersUnder({ client }: CheckEntry, name: string): object[] {
  const groups = groupsOf(client.namespace);
  return groups.size === 0 ? [] : groups.membersOf(client.name, name);
}

function moveCheck(transaction: Transaction, before: CheckEntry, to: string, by: string): void {
  const { client, state } = before;
  const bodies = renameBodies(transaction.body(CHECK_RECORDS, before), to);
  removeCheck(transaction, before, by, to);
  const after = client.namespace.ensureCheck(client, to);
  saveRenamedCheck(transaction, after, { state, bodies, by });
  const names = { client: client.name, from: before.name, to };
  renameMembers(transaction, client.namespace, names);
  renamePendingResolution(transaction, client.namespace, names);
  // Silences are not renamed, so a silence for the old name possibly does not match the event any more.
  renotifyOpenEventAfterSilence(transaction, after);
}

function mergeChecks(transaction: Transaction, before: CheckEntry, after: CheckEntry, by: string): void {
  const bodies = transaction.body(CHECK_RECORDS, after);
  const check = bodies.eventCheck ?? bodies.check;
  const route = check === null ? undefined : transaction.routing.route(after.client.namespace.name, check);
  const state = joinRenamedCheckStates(before.state, after.state, route?.handlers.map(({ name }) => name) ?? []);
  // No event is open under the new name, so the old event is resolved here to notify its resolution.
  if (before.state.event !== undefined && after.state.event === undefined) resolveEvent(transaction, before, by);
  const { namespace, name: client } = after.client;
  const names = { client, from: before.name, to: after.name };
  const isOne = before.state.event !== undefined && state.event !== undefined;
  removeCheck(transaction, before, by, after.name);
  saveRenamedCheck(transaction, after, { state, bodies, by });
  renamePendingResolution(transaction, namespace, names);
  if (isOne) {
    mergeMembers(transaction, namespace, { ...names, eventId: state.event.id });
    renameMembers(transaction, namespace, names);
  }
  // The event is announced as changed, because its history changes even if it is otherwise unchanged.
  announceEvent(transaction, after);
}

function saveRenamedCheck(
  transaction: Transaction,
  entry: CheckEntry,
  { state, bodies, by }: { readonly state: CheckEntry['state']; readonly bodies: CheckBodies; readonly by: string },
): void {
  const output = (bodies.eventCheck ?? bodies.check)?.output;
  saveCheck(transaction, entry, state, bodies, state.event === undefined ? undefined : output, by);
  // Records the event as inhibitor under its new name, so that the events it inhibits stay inhibited.
  recordStoredEventAsInhibitor(transaction, entry, bodies);
}

function renameBodies({ check, eventCheck, eventHistory }: CheckBodies, name: string): CheckBodies {
  return {
    check: check === null ? null : renameResult(check, name),
    eventCheck: eventCheck === undefined ? undefined : renameResult(eventCheck, name),
    eventHistory,
  };
}

function renameResult(check: CheckResult, name: string): CheckResult {
  return { ...check, name };
}

function refuseBoth({ from, to }: CheckRename, count: number): void {
  if (count === 0) return;
  throw new MonError(
    'conflict',
    `${String(count)} ${count === 1 ? 'client has' : 'clients have'} results of both ${to} and ${from}: use force to merge the results, with the history of ${from} first`,
  );
}
