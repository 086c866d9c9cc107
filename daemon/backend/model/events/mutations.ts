import type { CheckState } from '../../../../shared/domain/event.ts';
import type { Acknowledgement } from '../../../../shared/schemas/acknowledgement.ts';
import type { EscalationState } from '../../../../shared/schemas/escalation.ts';
import type { InhibitorRef, NotificationLog } from '../../../../shared/schemas/notification-log.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { CheckEntry } from '../registry/namespace.ts';
import type { CheckBodies, RenewedResult } from './check-record.ts';
import { removeInhibitorRecords } from '../notify/inhibitions/mutations.ts';
import { recordRemoval, recordStateChange } from '../timeline/mutations.ts';
import { removeSeries } from '../results/mutations.ts';
import { countMatches } from '../silences/mutations.ts';
import { announceAttributeSets } from '../attributes/mutations.ts';
import { CHECK_RECORDS } from './storage.ts';

/**
 * Saves the state and the last result of a check, and announces its event if the event changed.
 *
 * @param output output of the event, if `state` contains a new event state
 * @param by name of the user who requested the change, if any
 */
export function saveCheck(
  transaction: Transaction,
  entry: CheckEntry,
  state: CheckState,
  bodies: CheckBodies,
  output: string | undefined,
  by?: string,
): void {
  const { selectorAttributes: facts, attributes } = entry;
  const { namespace } = entry.client;
  // If the last result was deleted, only the event's check remains.
  const latestCheck = bodies.check ?? bodies.eventCheck;
  if (latestCheck !== undefined && (state.event ?? entry.state.event) !== undefined) {
    namespace.updateCheckSelectorAttributes(
      entry,
      latestCheck,
      state.event === undefined ? undefined : bodies.eventCheck,
    );
  }
  namespace.updateCheckAttributes(entry, state.event === undefined ? undefined : latestCheck);
  if (entry.attributes !== attributes) announceAttributeSets(transaction, namespace, [attributes], entry.attributes);
  // Set before the silences that match the event are recorded below, because selectors must match the new severity.
  if (state.event !== undefined) entry.eventStatus = state.event.status;
  recordStateChange(transaction, entry, state, output ?? bodies.check?.output, by);
  if ((state.event === undefined) !== (entry.state.event === undefined)) recordMatch(transaction, entry);
  // If an event stays open after an OK result, its state is unchanged. But the new result can change which silences
  // match it.
  if (state.event !== entry.state.event || entry.selectorAttributes !== facts || entry.attributes !== attributes)
    transaction.announce(CHECK_RECORDS, entry);
  if (state.event === undefined && entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    announceInhibited(transaction, entry, undefined);
  }
  namespace.setCheck(entry, state, bodies.check ?? undefined, output);
  transaction.writeRecord(CHECK_RECORDS, entry, bodies);
}

/**
 * Saves a repeated result of a check that has a baseline. Only its times, and perhaps its output, differ. No event is
 * open, so nothing is announced.
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

/** Sets the notification log of a check's open event in memory. The caller must also save the check record. */
export function saveNotifications(transaction: Transaction, entry: CheckEntry, log: NotificationLog): void {
  const { event } = entry.state;
  if (event === undefined || event.notifications === log) return;
  announceInhibited(transaction, entry, log.inhibitedBy);
  entry.client.namespace.inhibited.update(entry, event.notifications.inhibitedBy, log.inhibitedBy);
  entry.state = { ...entry.state, event: { ...event, notifications: log } };
}

/** Sets the escalations of a check's open event in memory. The caller must also save the check record. */
export function saveEscalations(
  transaction: Transaction,
  entry: CheckEntry,
  escalations: readonly EscalationState[],
): void {
  const before = entry.state.event?.escalations ?? [];
  if (before.length === escalations.length && before.every((one, at) => one === escalations[at])) return;
  entry.client.namespace.setEscalations(entry, escalations.length === 0 ? undefined : escalations);
  transaction.announce(CHECK_RECORDS, entry);
}

/**
 * Saves the acknowledgement of a check's open event, or removes it. The stored record of the check must have been read
 * for this command.
 *
 * @param by name of the user who requested the change; undefined if the acknowledgement expired
 */
export function saveAcknowledgement(
  transaction: Transaction,
  entry: CheckEntry,
  acknowledgement: Acknowledgement | undefined,
  by?: string,
): void {
  const { event } = entry.state;
  if (event === undefined) throw new Error(`internal error: ${entry.client.name}/${entry.name} has no open event`);
  const bodies = transaction.body(CHECK_RECORDS, entry);
  saveCheck(transaction, entry, { ...entry.state, event: { ...event, acknowledgement } }, bodies, undefined, by);
}

/**
 * Announces an event whose inhibition changes. Also announces each inhibition rule that now inhibits one event more or
 * one less.
 */
function announceInhibited(transaction: Transaction, entry: CheckEntry, after: InhibitorRef | undefined): void {
  const before = entry.state.event?.notifications.inhibitedBy;
  if (before === after) return;
  const { name } = entry.client.namespace;
  if (before !== undefined) transaction.addChange(['inhibited', name, before.rule]);
  if (after !== undefined && after.rule !== before?.rule) transaction.addChange(['inhibited', name, after.rule]);
  transaction.announce(CHECK_RECORDS, entry);
}

/**
 * Removes a check of a client with its result, series and event, and ends the inhibitions that its event caused.
 *
 * @param by name of the user who requested the removal, if any
 * @param to the new name of the check, if it is being renamed
 */
export function removeCheck(transaction: Transaction, entry: CheckEntry, by?: string, to?: string): void {
  recordRemoval(transaction, entry, by, to);
  announceEvent(transaction, entry);
  if (entry.state.event !== undefined) {
    endInhibitor(transaction, entry);
    announceInhibited(transaction, entry, undefined);
  }
  const { attributes } = entry;
  removeSeries(transaction, entry);
  entry.client.namespace.removeCheck(entry);
  announceAttributeSets(transaction, entry.client.namespace, [attributes]);
  transaction.deleteRecord(CHECK_RECORDS, entry);
}

/**
 * Records a match for each silence that matches an event when the event opens or resolves. It does so even if no
 * handler would have been notified.
 */
function recordMatch(transaction: Transaction, entry: CheckEntry): void {
  const { namespace } = entry.client;
  if (namespace.silenced.size > 0) countMatches(transaction, namespace, entry.silencedBy(transaction.nowMs));
}

function endInhibitor(transaction: Transaction, { client, name }: CheckEntry): void {
  removeInhibitorRecords(transaction, client.namespace, client.name, name);
}

/**
 * Publishes the open event of a check, if there is one, on the feed. Call it if attributes in the row of the event can
 * have changed.
 */
export function announceEvent(transaction: Transaction, entry: CheckEntry): void {
  if (entry.state.event !== undefined) transaction.announce(CHECK_RECORDS, entry);
}
