import type { NotificationContext } from '../../../shared/domain/notify/notification-context.ts';
import { handlersWithEffect, type NotificationDecisions } from '../../../shared/domain/notify/decide-notifications.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { saveEscalations, saveNotifications } from '../model/events/mutations.ts';
import { recordEscalation } from '../model/timeline/mutations.ts';
import { countSuppressedRuns } from '../model/silences/mutations.ts';
import { enqueueOrGroup } from './enqueue.ts';
import { entryOfStoredEvent, type Occurrence } from './event-occurrence.ts';
import type { VerdictReport } from '../model/notify/routing.ts';
import { deferResolution } from '../model/notify/silence-ends/mutations.ts';

/**
 * Applies the decisions about an event in the commit of the event. It enqueues notifications, stores pending
 * resolutions, counts what each silence suppressed, saves the notification log and the escalations, and reports the
 * verdicts.
 */
export function applyDecisions(
  transaction: Transaction,
  occurrence: Occurrence,
  { event }: Pick<NotificationContext, 'event'>,
  { decisions, notificationLog, escalations, escalationChanges }: NotificationDecisions,
): void {
  const { namespace } = occurrence.client;
  for (const decision of decisions) {
    if (decision.effect === 'notify') {
      // An escalation itself sends nothing: there is a decision for each handler that it notifies.
      if (decision.handler.kind === 'escalation') continue;
      enqueueOrGroup(transaction, namespace, decision.handler, decision.event);
    } else if (decision.effect === 'defer' || decision.effect === 'suppressed by silence') {
      countSuppressedRuns(transaction, namespace, decision.event.silenced_by);
    }
  }
  const deferredHandlers = handlersWithEffect(decisions, 'defer');
  if (deferredHandlers.length > 0) deferResolution(transaction, namespace, event, deferredHandlers);
  const entry = entryOfStoredEvent(occurrence);
  if (entry !== undefined) {
    saveNotifications(transaction, entry, notificationLog);
    saveEscalations(transaction, entry, escalations);
    for (const change of escalationChanges) recordEscalation(transaction, entry, change);
  }
  reportOccurrenceVerdicts(
    transaction,
    occurrence,
    decisions.map(({ verdict }) => verdict),
  );
}

/** Reports the verdicts about an occurrence, so that they are logged and counted after the commit. */
export function reportOccurrenceVerdicts(
  transaction: Transaction,
  { client, check, state }: Pick<Occurrence, 'client' | 'check' | 'state'>,
  verdicts: readonly HandlerVerdict[],
): void {
  const { id, status, action, occurrences } = state;
  const eventKey = { namespace: client.namespace.name, client: client.name, check: check.name };
  reportVerdicts(transaction, { ...eventKey, status, action, occurrences, event_id: id }, verdicts);
}

/**
 * Reports the verdicts about an event, so that they are logged and counted after the commit. The verdict `handle` is
 * not reported, unless a filter of the handler has a defect.
 *
 * @param details the attributes of the event that the log shows
 */
export function reportVerdicts(
  transaction: Transaction,
  details: Omit<VerdictReport, 'verdicts'>,
  verdicts: readonly HandlerVerdict[],
): void {
  const reported = verdicts.filter(({ verdict, defects }) => verdict !== 'handle' || defects !== undefined);
  if (reported.length > 0) transaction.noteHandling({ ...details, verdicts: reported });
}
