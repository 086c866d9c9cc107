import type { CheckState } from '../../../../shared/domain/event.ts';
import type { InhibitorRef, NotificationLog } from '../../../../shared/schemas/notification-log.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { CheckBodies, RenewedResult } from './check-record.ts';
import { removeInhibitor } from '../notify/inhibitions/mutations.ts';
import { noteRemoval, recordStateChange } from '../timeline/mutations.ts';
import { noteMatched } from '../silences/mutations.ts';
import { CHECK_RECORDS } from './storage.ts';

/**
 * @param output of the event, if `state` has a new one
 * @param by name of the user who requested it, if any
 */
export function saveCheck(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  bodies: CheckBodies,
  output: string | undefined,
  by?: string,
): void {
  const { facts } = entry;
  // After a result was deleted, the check of its event remains.
  const latestCheck = bodies.check ?? bodies.eventCheck;
  if (latestCheck !== undefined && (state.event ?? entry.state.event) !== undefined) {
    entry.client.namespace.learnCheck(entry, latestCheck, state.event === undefined ? undefined : bodies.eventCheck);
  }
  // Set first, because the silences that match are recorded below, by the new severity.
  if (state.event !== undefined) entry.eventStatus = state.event.status;
  recordStateChange(transaction, entry, state, output ?? bodies.check?.output, by);
  if ((state.event === undefined) !== (entry.state.event === undefined)) noteMatch(transaction, entry);
  // An event that outlives an OK may be covered by other silences because of the new result.
  if (state.event !== entry.state.event || entry.facts !== facts) transaction.announce(CHECK_RECORDS, entry);
  if (state.event === undefined && entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    announceInhibited(transaction, entry, undefined);
  }
  entry.client.namespace.setCheck(entry, state, bodies.check ?? undefined, output);
  transaction.keep(CHECK_RECORDS, entry, bodies);
}

/**
 * Records a repeated result of a check with a base, with new times and perhaps another output. No event is open, so
 * nothing is announced.
 */
export function renewCheck(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  renewed: RenewedResult,
): void {
  entry.client.namespace.renewCheck(entry, state, renewed.executed);
  transaction.amend(CHECK_RECORDS, entry, renewed);
}

/** Saves the notification log of the open event of a check. The command must keep its record. */
export function saveNotifications(transaction: Transaction, entry: CheckEntry, log: NotificationLog): void {
  const { event } = entry.state;
  if (event === undefined || event.notifications === log) return;
  announceInhibited(transaction, entry, log.inhibitedBy);
  entry.client.namespace.inhibited.update(entry, event.notifications.inhibitedBy, log.inhibitedBy);
  entry.state = { ...entry.state, event: { ...event, notifications: log } };
}

/** Announces that a rule inhibits more or fewer events. */
function announceInhibited(transaction: Transaction, entry: CheckEntry, after: InhibitorRef | undefined): void {
  const before = entry.state.event?.notifications.inhibitedBy;
  if (before === after) return;
  const { name } = entry.client.namespace;
  if (before !== undefined) transaction.note(['inhibited', name, before.rule]);
  if (after !== undefined && after.rule !== before?.rule) transaction.note(['inhibited', name, after.rule]);
  transaction.announce(CHECK_RECORDS, entry);
}

/**
 * @param by name of the user who requested it, if any
 * @param to the new name of the check, if it is renamed
 */
export function removeCheck(transaction: Transaction, entry: CheckEntry, by?: string, to?: string): void {
  noteRemoval(transaction, entry, by, to);
  noteEvent(transaction, entry);
  if (entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    announceInhibited(transaction, entry, undefined);
  }
  entry.client.namespace.removeCheck(entry);
  transaction.forget(CHECK_RECORDS, entry);
}

/**
 * Records the begin or end of an event as a match of the silences that cover it, whether or not a handler would be
 * notified.
 */
function noteMatch(transaction: Transaction, entry: CheckEntry): void {
  const { namespace } = entry.client;
  if (namespace.silenced.size > 0) noteMatched(transaction, namespace, entry.silencedBy(transaction.nowMs));
}

function endInhibitor(transaction: Transaction, { client, name }: CheckEntry): void {
  removeInhibitor(transaction, client.namespace, client.name, name);
}

/** Announces the open event of a check, if there is one, because its visible attributes may have changed. */
export function noteEvent(transaction: Transaction, entry: CheckEntry): void {
  if (entry.state.event !== undefined) transaction.announce(CHECK_RECORDS, entry);
}
