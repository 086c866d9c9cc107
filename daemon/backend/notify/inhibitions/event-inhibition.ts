import { buildEvent } from '../../../../shared/domain/build-event.ts';
import { buildInhibition, findResolutionInhibition } from '../../../../shared/domain/notify/inhibit.ts';
import type { Inhibition } from '../../../../shared/domain/notify/notification-context.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { InhibitorRef } from '../../../../shared/schemas/notification-log.ts';
import { CLIENTS } from '../../model/clients/storage.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import type { CheckBodies } from '../../model/events/check-record.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import { isStoredEvent, type Occurrence } from '../event-occurrence.ts';
import type { Routing } from '../../model/notify/routing.ts';
import { updateInhibitorRecords } from '../../model/notify/inhibitions/mutations.ts';
import { findRecordedInhibitor, createEvaluatedInhibitionRules } from '../../model/notify/inhibitions/state.ts';

/**
 * Updates the inhibitor records of an event after an occurrence of it. These records say under which inhibition rules
 * the event inhibits other events. An event that is not stored gets no inhibitor records.
 */
export function recordOccurrenceAsInhibitor(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check, state, history } = occurrence;
  const { inhibitions } = transaction.routing.definitions;
  if (inhibitions.length === 0 || !isStoredEvent(occurrence) || !transaction.hasBody(CLIENTS, client)) return;
  const clientRecord = transaction.body(CLIENTS, client);
  const event = buildEvent({ client: clientRecord, check, state, history, silencedBy: [] });
  updateInhibitorRecords(transaction, client.namespace, inhibitions, event);
}

/**
 * Updates the inhibitor records of the open event of a check, after the event was renamed or restored from a dump.
 * These records say under which inhibition rules the event inhibits other events.
 */
export function recordStoredEventAsInhibitor(
  transaction: Transaction,
  { client, state }: CheckEntry,
  bodies: CheckBodies,
): void {
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event === undefined || check === null) return;
  recordOccurrenceAsInhibitor(transaction, {
    client,
    check,
    state: state.event,
    history: bodies.eventHistory ?? state.history,
  });
}

/**
 * The inputs of `findInhibition`: the current inhibition rules (in `routing`), and the rules against which all open
 * events were last evaluated (in `registry`).
 */
export interface InhibitionInputs {
  readonly routing: Pick<Routing, 'definitions'>;
  readonly registry: Pick<Registry, 'state'>;
}

/**
 * Returns the inhibition that suppresses the notifications of an event; undefined if none does. A resolution is
 * inhibited only if its event has been inhibited ever since it opened.
 */
export function findInhibition(inputs: InhibitionInputs, occurrence: Occurrence, event: Event): Inhibition | undefined {
  const { client, state } = occurrence;
  if (event.action === 'resolve') return findResolutionInhibition(state.notifications);
  const { inhibitions } = inputs.routing.definitions;
  const inhibitor = inhibitions.length === 0 ? undefined : findRecordedInhibitor(inhibitions, client.namespace, event);
  const effectiveInhibitor = inhibitor ?? findOutdatedInhibitor(inputs, occurrence, state.notifications.inhibitedBy);
  return effectiveInhibitor && buildInhibition(effectiveInhibitor);
}

/**
 * Keeps an event inhibited while the open events are evaluated against changed inhibition rules. During this time,
 * inhibitors under the new rules may not be recorded yet (inhibition 4).
 *
 * @returns the inhibitor in the notification log of the event, if its rule was changed or removed and the evaluation
 * has not ended; otherwise undefined
 */
function findOutdatedInhibitor(
  { routing, registry }: InhibitionInputs,
  { isReevaluated }: Occurrence,
  inhibitor: InhibitorRef | undefined,
): InhibitorRef | undefined {
  if (inhibitor === undefined || isReevaluated === true) return undefined;
  const { fingerprint } = inhibitor;
  if (!registry.state(createEvaluatedInhibitionRules).fingerprints.includes(fingerprint)) return undefined;
  return routing.definitions.inhibitions.some((rule) => rule.fingerprint === fingerprint) ? undefined : inhibitor;
}
