import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { saveNotifications } from '../../model/events/mutations.ts';
import { CHECK_RECORDS } from '../../model/events/storage.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { removeSuppression } from '../../../../shared/domain/notify/notification-log.ts';
import { notifyPendingResolution, notifySilenceEnded } from '../notifications.ts';
import {
  isResolutionStillSilenced,
  pendingResolutionsOf,
  type PendingResolution,
} from '../../model/notify/silence-ends/state.ts';
import { PENDING_RESOLUTIONS } from '../../model/notify/silence-ends/storage.ts';
import type { EventKey } from '../event-queue.ts';

/** Notifies handlers of events that are no longer silenced. */
export class SilenceEndNotifier {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Notifies handlers of each of these events that is no longer silenced: first of pending resolutions, then of open
   * events. An event is skipped if no silence suppressed a notification of it. The same commit records which handlers
   * were notified, so that no handler is notified twice. If an inhibition of an open event has ended as well, the next
   * result of its check notifies the handlers instead.
   *
   * @returns the keys of the events whose resolutions stay pending although no silence covers them; the caller must
   * retry these events later
   * @throws MonError `unavailable` when the commit fails
   */
  notify(keys: readonly EventKey[]): Promise<readonly EventKey[]> {
    const findEntries = (registry: Registry): CheckEntry[] =>
      keys.flatMap(([namespace, client, check]) => registry.namespace(namespace).check(client, check) ?? []);
    const findResolutions = (registry: Registry): PendingResolution[] =>
      keys.flatMap(
        ([namespace, client, check]) => pendingResolutionsOf(registry.namespace(namespace)).get(client, check) ?? [],
      );
    return this.#batcher.run(
      (transaction) => {
        const stillPending = findResolutions(transaction.registry).filter(
          (resolution) => !notifyResolutionUnlessSilenced(transaction, resolution),
        );
        for (const entry of findEntries(transaction.registry)) renotifyOpenEventAfterSilence(transaction, entry);
        return stillPending.map(({ namespace, client, check }): EventKey => [namespace, client, check]);
      },
      {
        weight: keys.length,
        needs: (registry) => [...findResolutions(registry), ...findEntries(registry)],
      },
    );
  }
}

/**
 * Notifies handlers of the pending resolution of an event, unless a silence still covers the event.
 *
 * @returns false if no silence covers the event and the resolution stays pending nevertheless: the queue of a handler
 * is full, or this batch has not read the stored resolution
 */
function notifyResolutionUnlessSilenced(transaction: Transaction, pending: PendingResolution): boolean {
  const namespace = transaction.registry.namespace(pending.namespace);
  if (isResolutionStillSilenced(namespace, pending, transaction.nowMs)) return true;
  // This batch has not read the stored resolution if the problem resolved after the batch selected the records to read.
  if (!transaction.hasBody(PENDING_RESOLUTIONS, pending)) return false;
  return notifyPendingResolution(transaction, namespace, pending);
}

/**
 * True if a silence suppressed a notification of the open event of a check, and no silence covers the event any more.
 */
export function isPendingAfterSilence(entry: CheckEntry, nowMs: number): boolean {
  return entry.state.event?.notifications.pending?.silence === true && !entry.isSilenced(nowMs);
}

/**
 * Notifies handlers of the open event of a check if a silence suppressed a notification of it and no silence covers it
 * any more. With `renotify-after-silence: false`, no handler is notified. In both cases, the suppression is removed
 * from the notification log. If an inhibition of the event has ended as well, nothing is done: the next result notifies
 * the handlers. The calling command must have requested the stored records of the check and of its client.
 */
export function renotifyOpenEventAfterSilence(transaction: Transaction, entry: CheckEntry): void {
  if (!isPendingAfterSilence(entry, transaction.nowMs)) return;
  const { client, state } = entry;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event !== undefined && check !== null && transaction.routing.settings().renotifiesAfterSilence) {
    const history = bodies.eventHistory ?? state.history;
    if (!notifySilenceEnded(transaction, { client, check, state: state.event, history })) return;
  }
  const { event } = entry.state;
  if (event !== undefined) saveNotifications(transaction, entry, removeSuppression(event.notifications, 'silence'));
  transaction.writeRecord(CHECK_RECORDS, entry, bodies);
}
