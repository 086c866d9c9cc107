import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { saveNotifications } from '../../model/events/mutations.ts';
import { CHECK_RECORDS } from '../../model/events/storage.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { release } from '../../../../shared/domain/notify/log.ts';
import { notifyPendingResolution, notifySilenceEnded } from '../notifications.ts';
import {
  isStillSilenced,
  pendingResolutionsOf,
  type PendingResolution,
} from '../../model/notify/silence-ends/state.ts';
import { PENDING_RESOLUTIONS } from '../../model/notify/silence-ends/storage.ts';

/** The key of an event. It consists of names, because the registry may be reloaded before the event is handled. */
export type EventKey = readonly [namespace: string, client: string, check: string];

/** Notifies handlers of events whose silences have ended. */
export class SilenceEnds {
  readonly #batcher: Batcher;

  constructor(batcher: Batcher) {
    this.#batcher = batcher;
  }

  /**
   * Notifies handlers of those of these events that silences suppressed and that are no longer silenced: first of
   * resolved problems, then of open ones. The same commit records it, so that each is notified once. An event that
   * waits for its next result anyway stays as it is.
   *
   * @returns the events whose resolution stays pending, because the queue of a handler is full
   * @throws MonError `unavailable`
   */
  notify(keys: readonly EventKey[]): Promise<readonly EventKey[]> {
    const entriesOf = (registry: Registry): CheckEntry[] =>
      keys.flatMap(([namespace, client, check]) => registry.namespace(namespace).check(client, check) ?? []);
    const resolutionsOf = (registry: Registry): PendingResolution[] =>
      keys.flatMap(
        ([namespace, client, check]) => pendingResolutionsOf(registry.namespace(namespace)).get(client, check) ?? [],
      );
    return this.#batcher.run(
      (transaction) => {
        const left = resolutionsOf(transaction.registry).filter((one) => !notifyUnlessSilenced(transaction, one));
        for (const entry of entriesOf(transaction.registry)) notifyOpenUnlessSilenced(transaction, entry);
        return left.map(({ namespace, client, check }): EventKey => [namespace, client, check]);
      },
      {
        weight: keys.length,
        needs: (registry) => [...resolutionsOf(registry), ...entriesOf(registry)],
      },
    );
  }
}

/** @returns false: it is not silenced and stays pending nevertheless */
function notifyUnlessSilenced(transaction: Transaction, pending: PendingResolution): boolean {
  const namespace = transaction.registry.namespace(pending.namespace);
  if (isStillSilenced(namespace, pending, transaction.nowMs)) return true;
  // Another command of this batch may have deferred it just now.
  if (!transaction.hasBody(PENDING_RESOLUTIONS, pending)) return false;
  return notifyPendingResolution(transaction, namespace, pending);
}

/** True if silences suppressed the open event of a check, and nothing silences it any more. */
export function isNoLongerSilenced(entry: CheckEntry, nowMs: number): boolean {
  return entry.state.event?.notifications.pending?.silence === true && !entry.isSilenced(nowMs);
}

/** Handles one open event if it is unsilenced. The command must have requested its bodies and client. */
export function notifyOpenUnlessSilenced(transaction: Transaction, entry: CheckEntry): void {
  if (!isNoLongerSilenced(entry, transaction.nowMs)) return;
  const { client, state } = entry;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event !== undefined && check !== null && transaction.routing.settings().renotifiesAfterSilence) {
    const history = bodies.eventHistory ?? state.history;
    if (!notifySilenceEnded(transaction, { client, check, state: state.event, history })) return;
  }
  const { event } = entry.state;
  if (event !== undefined) saveNotifications(transaction, entry, release(event.notifications, 'silence'));
  transaction.keep(CHECK_RECORDS, entry, bodies);
}
