import {
  acknowledgementRow,
  isAcknowledgementExpired,
  newAcknowledgement,
  type AcknowledgeRequest,
} from '../../../shared/domain/acknowledgement.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Acknowledgement, AcknowledgementRow } from '../../../shared/schemas/acknowledgement.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { Batcher } from '../commit/batcher.ts';
import { recordBulk } from '../audit/bulk.ts';
import { recordAudit, auditTarget, type AuditedChange } from '../model/audit/mutations.ts';
import { saveAcknowledgement } from '../model/events/mutations.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import type { Occurrence } from '../notify/event-occurrence.ts';
import { notifyAcknowledged, notifyAcknowledgementExpired } from '../notify/notifications.ts';

/** Identifies an event: its client and its check. */
interface EventName {
  readonly client: string;
  readonly check: string;
}

/** Acknowledges open events, and removes their acknowledgements. */
export class Acknowledgements {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Acknowledges an open event. An earlier acknowledgement of the event is replaced.
   *
   * @param refuse callback that gets the open event, and can throw to reject the request
   * @throws MonError `invalid` if the acknowledgement would have expired already, `not_found` if there is no such
   *   event, `unavailable` if the change cannot be committed
   */
  acknowledge(
    namespaceName: string,
    { client, check, ...request }: EventName & AcknowledgeRequest,
    actor: Actor,
    refuse: (event: EventState) => void = () => undefined,
  ): Promise<AcknowledgementRow> {
    return this.#batcher.run(
      (transaction) => {
        const entry = openEntry(transaction.registry, namespaceName, { client, check });
        const event = entry?.state.event;
        if (entry === undefined || event === undefined) {
          throw new MonError('not_found', `there is no event of ${client}/${check}`);
        }
        refuse(event);
        const before = event.acknowledgement;
        const acknowledgement = acknowledgeEvent(transaction, entry, request, actor.who);
        recordAudit(transaction, actor, {
          action: 'event.acknowledge',
          target: auditTarget(namespaceName, `${client}/${check}`),
          before: before ?? null,
          after: acknowledgement,
          reason: acknowledgement.note ?? null,
        });
        return acknowledgementRow(acknowledgement, client, check, acknowledgement.status);
      },
      { needs: (registry) => openEntries(registry, namespaceName, { client, check }) },
    );
  }

  /**
   * Acknowledges those of the named events that are still open, in one commit.
   *
   * @returns the acknowledged events
   * @throws MonError `invalid` if the acknowledgements would have expired already, `unavailable` if the change cannot
   *   be committed
   */
  acknowledgeAll(
    namespaceName: string,
    names: readonly EventName[],
    request: AcknowledgeRequest,
    actor: Actor,
  ): Promise<readonly AcknowledgementRow[]> {
    return this.#batcher.runSteps(
      function* (transaction) {
        const rows: AcknowledgementRow[] = [];
        const changes: AuditedChange[] = [];
        for (const { client, check } of names) {
          yield;
          const entry = openEntry(transaction.registry, namespaceName, { client, check });
          // An event that opened again after the records were read is not the one that matched.
          if (entry === undefined || !transaction.hasBody(CHECK_RECORDS, entry)) continue;
          const before = entry.state.event?.acknowledgement ?? null;
          const after = acknowledgeEvent(transaction, entry, request, actor.who);
          const target = auditTarget(namespaceName, `${client}/${check}`);
          changes.push({ action: 'event.acknowledge', target, before, after, reason: after.note ?? null });
          rows.push(acknowledgementRow(after, client, check, after.status));
        }
        yield* recordBulk(transaction, actor, 'bulk', changes);
        return rows;
      },
      {
        weight: names.length,
        needs: (registry) => names.flatMap((name) => openEntries(registry, namespaceName, name)),
      },
    );
  }

  /**
   * Removes the acknowledgement of an event. The next result of the check notifies handlers as usual.
   *
   * @throws MonError `not_found` if the event does not exist or is not acknowledged, `unavailable` if the change cannot
   *   be committed
   */
  unacknowledge(namespaceName: string, name: EventName, actor: Actor): Promise<void> {
    const target = `${name.client}/${name.check}`;
    return this.#batcher.run(
      (transaction) => {
        const entry = openEntry(transaction.registry, namespaceName, name);
        const before = entry?.state.event?.acknowledgement;
        if (entry === undefined || before === undefined) {
          throw new MonError('not_found', `the event of ${target} is not acknowledged`);
        }
        saveAcknowledgement(transaction, entry, undefined, actor.who);
        recordAudit(transaction, actor, {
          action: 'event.unacknowledge',
          target: auditTarget(namespaceName, target),
          before,
        });
      },
      { needs: (registry) => openEntries(registry, namespaceName, name) },
    );
  }

  /**
   * Removes the acknowledgement of an event if it has expired, and notifies the handlers of the event in the same
   * commit, so that no handler is notified twice.
   *
   * @throws MonError `unavailable` if the change cannot be committed
   */
  expire(namespaceName: string, name: EventName): Promise<void> {
    return this.#batcher.run(
      (transaction) => {
        const entry = openEntry(transaction.registry, namespaceName, name);
        if (entry !== undefined) expireIfDue(transaction, entry);
      },
      { needs: (registry) => openEntries(registry, namespaceName, name) },
    );
  }
}

/**
 * Acknowledges the open event of `entry`. The stored record of the check must have been read for this command.
 *
 * @param by name of the user who requests it
 * @throws MonError `invalid` if the acknowledgement would have expired already
 */
export function acknowledgeEvent(
  transaction: Transaction,
  entry: CheckEntry,
  request: AcknowledgeRequest,
  by: string,
): Acknowledgement {
  const acknowledgement = newAcknowledgement(request, entry.state.event?.status ?? 0, transaction.now);
  if (isAcknowledgementExpired(acknowledgement, transaction.nowMs)) {
    throw new MonError('invalid', 'expires_at: the time is in the past; give a later time');
  }
  saveAcknowledgement(transaction, entry, acknowledgement, by);
  const occurrence = openOccurrence(transaction, entry);
  if (occurrence !== undefined) notifyAcknowledged(transaction, occurrence);
  return acknowledgement;
}

function expireIfDue(transaction: Transaction, entry: CheckEntry): void {
  const acknowledgement = entry.state.event?.acknowledgement;
  if (acknowledgement === undefined || !isAcknowledgementExpired(acknowledgement, transaction.nowMs)) return;
  saveAcknowledgement(transaction, entry, undefined);
  const occurrence = openOccurrence(transaction, entry);
  if (occurrence !== undefined) notifyAcknowledgementExpired(transaction, occurrence);
}

/**
 * Returns the open event of `entry` with its check, for notifications; undefined if there is no check result. The
 * stored record of the check must have been read for this command.
 */
function openOccurrence(transaction: Transaction, entry: CheckEntry): Occurrence | undefined {
  const { client, state } = entry;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event === undefined || check === null) return undefined;
  return { client, check, state: state.event, history: bodies.eventHistory ?? state.history };
}

/** Returns the entry of a check if it has an open event. */
function openEntry(registry: Registry, namespaceName: string, { client, check }: EventName): CheckEntry | undefined {
  const entry = registry.namespace(namespaceName).check(client, check);
  return entry?.state.event === undefined ? undefined : entry;
}

function openEntries(registry: Registry, namespaceName: string, name: EventName): readonly CheckEntry[] {
  const entry = openEntry(registry, namespaceName, name);
  return entry === undefined ? [] : [entry];
}
