import { deregistrationCheck } from '../../../shared/domain/deregistration.ts';
import { transientEventState } from '../../../shared/domain/event.ts';
import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import { removeSuppression, recordInhibited } from '../../../shared/domain/notify/notification-log.ts';
import { decideNotifications } from '../../../shared/domain/notify/decide-notifications.ts';
import {
  respectsSilences,
  isHandlingDisabled,
  routeHandlers,
  showsAcknowledgements,
  type RoutedHandler,
} from '../../../shared/domain/notify/route.ts';
import { leadsToRun, evaluateStages } from '../../../shared/domain/notify/verdict.ts';
import {
  REGISTRATION_CHECK,
  registrationCheck,
  registrationState,
  wantsRegistration,
} from '../../../shared/domain/registration.ts';
import { reminderEvent } from '../../../shared/domain/silence-reminder.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import { CLIENTS } from '../model/clients/storage.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { openEvents } from '../model/events/state.ts';
import { saveNotifications } from '../model/events/mutations.ts';
import type { ClientEntry, Namespace } from '../model/registry/namespace.ts';
import { applyDecisions, reportOccurrenceVerdicts, reportVerdicts } from './apply-decisions.ts';
import { buildNotificationContext } from './build-notification-context.ts';
import { enqueueOrGroup, enqueueUngrouped } from './enqueue.ts';
import { removeResolvedMembers } from '../model/notify/groups/mutations.ts';
import { handlersWithGroupedProblem } from './groups/queries.ts';
import { recordOccurrenceAsInhibitor } from './inhibitions/event-inhibition.ts';
import { leavesStoredEventUnchanged, isStoredEvent, entryOfStoredEvent, type Occurrence } from './event-occurrence.ts';
import { deferResolution, removePendingResolution } from '../model/notify/silence-ends/mutations.ts';
import {
  isResolutionStillSilenced,
  pendingResolutionsOf,
  type PendingResolution,
} from '../model/notify/silence-ends/state.ts';
import { PENDING_RESOLUTIONS } from '../model/notify/silence-ends/storage.ts';

/*
 * The functions of this file notify handlers after a change, such as a result or the end of a silence. The
 * notifications are stored in the commit of the change. For the notifications of groups, see `groups/flush.ts`.
 */

/**
 * Notifies handlers after a result has opened, continued or resolved an event. It is also used for events that are
 * never stored, such as those of metric checks. The caller must first update the event in the registry, and remove the
 * silences that end with its resolution.
 */
export function notifyResult(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check, state } = occurrence;
  // Record the inhibitor first, whether or not the check has handlers: an event without handlers can inhibit others
  // too.
  recordOccurrenceAsInhibitor(transaction, occurrence);
  notifyEarlierResolution(transaction, occurrence);
  const isResolution =
    state.action === 'resolve' && !leavesStoredEventUnchanged(occurrence) && transaction.hasBody(CLIENTS, client);
  const resolved = isResolution ? state.notifications : undefined;
  const route = transaction.routing.route(client.namespace.name, check, resolved);
  const additionalHandlers = isResolution
    ? handlersWithGroupedProblem(transaction.routing.definitions, occurrence, route.handlers)
    : NO_ITEMS;
  const handlers = additionalHandlers.length === 0 ? route.handlers : [...route.handlers, ...additionalHandlers];
  const verdictsIfNoHandlerRuns = additionalHandlers.length === 0 ? route.verdictsIfNoHandlerRuns : undefined;
  // The handlers that an escalation has notified get the resolution, even if they are not on the route.
  const endsEscalation = isResolution && state.escalations !== undefined;
  // Sometimes all verdicts are known without the event, usually because the check has no handlers. Then the event is
  // not built, which saves time.
  const verdictsInAdvance =
    handlers.length === 0 && !endsEscalation
      ? NO_ITEMS
      : isHandlingDisabled(check)
        ? DISABLED_VERDICTS
        : endsEscalation
          ? undefined
          : verdictsIfNoHandlerRuns;
  if (verdictsInAdvance === undefined) notifyHandlers(transaction, occurrence, handlers);
  else {
    if (isStoredEvent(occurrence)) saveLogWithoutInhibition(transaction, occurrence);
    reportOccurrenceVerdicts(transaction, occurrence, verdictsInAdvance);
  }
  if (isResolution)
    removeResolvedMembers(transaction, client.namespace, { client: client.name, check: check.name, eventId: state.id });
}

/**
 * Notifies handlers of an OK event that resolves nothing. Only the handlers with the v2 event format get such an event.
 */
export function notifyOk(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) return;
  notifyHandlers(transaction, occurrence, transaction.routing.route(client.namespace.name, check).v2Handlers);
}

/**
 * Notifies handlers of an open event that is no longer silenced, after a silence suppressed a notification of it.
 * Handlers with `handle_silenced: true` are skipped, because the silence did not apply to them. All decision stages are
 * evaluated as for a new result.
 *
 * @returns true if the caller can now record that the silence ended; false if an inhibition also suppressed the event
 * and has ended. In that case, the next result notifies all handlers of the event (inhibition 2).
 */
export function notifySilenceEnded(transaction: Transaction, occurrence: Occurrence): boolean {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) {
    reportOccurrenceVerdicts(transaction, occurrence, DISABLED_VERDICTS);
    return true;
  }
  if (occurrence.state.notifications.inhibitedBy !== undefined && isInhibitionEnded(transaction, occurrence)) {
    return false;
  }
  const { handlers } = transaction.routing.route(client.namespace.name, check);
  notifyHandlers(transaction, occurrence, handlers.filter(respectsSilences));
  return true;
}

/**
 * Notifies handlers that an operator has acknowledged an open event: those that were notified of the problem and whose
 * preset shows acknowledgements. Filters and severities do not apply, because they have let the problem pass. The
 * caller must first save the acknowledgement.
 */
export function notifyAcknowledged(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check, state } = occurrence;
  const { routing } = transaction;
  const { name } = client.namespace;
  const { notified = [] } = state.notifications;
  const routed = notified === 'all' ? routing.route(name, check).handlers.map((handler) => handler.name) : notified;
  const escalated = (state.escalations ?? []).flatMap((escalation) => escalation.notified);
  const handlers = routeHandlers([...routed, ...escalated], routing.definitions.inNamespace(name)).filter(
    (handler) => showsAcknowledgements(handler) && !routing.isQueueFull(name, handler.name),
  );
  if (handlers.length === 0 || isHandlingDisabled(check)) return;
  const clientRecord = transaction.body(CLIENTS, client);
  const { event } = buildNotificationContext(transaction, occurrence, { clientRecord, handlers });
  for (const handler of handlers) {
    enqueueUngrouped(transaction, client.namespace, handler, { ...event, acknowledgement_started: true });
  }
}

/**
 * Notifies handlers of an open event whose acknowledgement has expired. All decision stages are evaluated as for a new
 * result. The caller must first remove the acknowledgement from the event.
 */
export function notifyAcknowledgementExpired(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) {
    reportOccurrenceVerdicts(transaction, occurrence, DISABLED_VERDICTS);
    return;
  }
  const { handlers } = transaction.routing.route(client.namespace.name, check);
  notifyHandlers(transaction, { ...occurrence, acknowledgementEnd: 'expired' }, handlers);
}

/**
 * Evaluates an open event again after the inhibition rules changed. If a rule inhibits the event now, its notification
 * log records the inhibition. If no rule inhibits it any more and a notification is pending, handlers are notified as
 * if the event had just occurred.
 */
export function notifyAfterRuleChange(transaction: Transaction, openEvent: Occurrence): void {
  const occurrence: Occurrence = { ...openEvent, isReevaluated: true };
  if (isInhibitionEnded(transaction, occurrence)) {
    notifyResult(transaction, occurrence);
    return;
  }
  const { inhibition } = inhibitionContext(transaction, occurrence);
  const entry = entryOfStoredEvent(occurrence);
  if (entry === undefined) return;
  // No handler is notified here, because no result has arrived. Pending notifications are sent with a later result.
  const { notifications } = occurrence.state;
  const log =
    inhibition?.inhibitor === undefined
      ? removeSuppression(notifications, 'inhibition')
      : recordInhibited(notifications, inhibition.inhibitor, NO_ITEMS);
  saveNotifications(transaction, entry, log);
}

/**
 * Notifies a handler that a silence is about to expire. The same commit enqueues the reminder and records that it was
 * sent.
 */
export function notifyReminder(
  transaction: Transaction,
  namespace: Namespace,
  silence: SilencedEntry,
  handler: string,
): void {
  const event = reminderEvent(silence, { id: transaction.newId(), now: transaction.now, handler });
  const { routing, nowMs } = transaction;
  const inputs = routing.stageInputs(namespace.name, openEvents(namespace), nowMs);
  const verdicts = routing.route(namespace.name, event.check).handlers.map((routed) => {
    const verdict = routing.rejectIfQueueFull(namespace.name, routed, evaluateStages(routed, event, inputs));
    // A reminder never joins a group, because it is about a silence and not about an event.
    if (leadsToRun(verdict)) enqueueUngrouped(transaction, namespace, routed, event);
    return verdict;
  });
  reportVerdicts(transaction, reportDetails(namespace, event), verdicts);
}

/**
 * Notifies handlers that a client appeared for the first time. Does nothing unless the client has the attribute
 * `registration` or a handler named `registration` is defined. The registration event is never stored.
 */
export function notifyRegistration(transaction: Transaction, client: ClientEntry): void {
  const definitions = transaction.routing.definitions.inNamespace(client.namespace.name);
  const record = transaction.body(CLIENTS, client);
  if (!wantsRegistration(record) && !definitions.hasHandler(REGISTRATION_CHECK)) return;
  const check = registrationCheck(record, transaction.now);
  const state = registrationState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/**
 * Notifies handlers that a client is deregistered. Must be called before the client is removed. The deregistration
 * event is never stored.
 */
export function notifyDeregistration(transaction: Transaction, client: ClientEntry): void {
  const check = deregistrationCheck(transaction.body(CLIENTS, client)['deregistration'], transaction.now);
  const state = transientEventState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/**
 * Notifies handlers of a pending resolution when no silence covers it any more. The stored resolution must have been
 * read for this batch.
 *
 * @returns false if the resolution stays pending for some handlers, because their queues are full
 */
export function notifyPendingResolution(
  transaction: Transaction,
  namespace: Namespace,
  pending: PendingResolution,
): boolean {
  const { routing, nowMs } = transaction;
  const resolvedEvent = transaction.body(PENDING_RESOLUTIONS, pending);
  const event: HandledEvent = {
    ...resolvedEvent,
    silenced: false,
    silenced_by: [],
    silence_ended: true,
  };
  const inputs = routing.stageInputs(namespace.name, openEvents(namespace), nowMs);
  const handlerVerdicts = handlersToNotify(transaction, namespace, pending, event).map((handler) => ({
    handler,
    verdict: routing.rejectIfQueueFull(namespace.name, handler, evaluateStages(handler, event, inputs)),
  }));
  removePendingResolution(transaction, namespace, pending);
  // For handlers whose queue is full, the resolution stays pending. If it were dropped, the problem would stay open at
  // the receiver forever.
  const handlersWithFullQueue = handlerVerdicts.flatMap(({ handler, verdict }) =>
    verdict.verdict === 'overflow' ? [handler.name] : [],
  );
  if (handlersWithFullQueue.length > 0) deferResolution(transaction, namespace, resolvedEvent, handlersWithFullQueue);
  for (const { handler, verdict } of handlerVerdicts)
    if (leadsToRun(verdict)) enqueueOrGroup(transaction, namespace, handler, event);
  reportVerdicts(
    transaction,
    reportDetails(namespace, event),
    handlerVerdicts.map(({ verdict }) => verdict),
  );
  return handlersWithFullQueue.length === 0;
}

/**
 * Returns the handlers that must still be notified of a resolution. If the pending resolution lists handlers, the
 * result is these handlers, even those to which the event is no longer routed. If it has `all` instead of a list, the
 * result is the handlers on the current route.
 */
function handlersToNotify(
  { routing }: Transaction,
  namespace: Namespace,
  { handlers: pendingHandlers }: PendingResolution,
  { check }: HandledEvent,
): readonly RoutedHandler[] {
  const route = routing.route(namespace.name, check).handlers;
  if (pendingHandlers === 'all') return route;
  const namesOffRoute = pendingHandlers.filter((name) => !route.some((handler) => handler.name === name));
  const handlersOnRoute = route.filter(({ name }) => pendingHandlers.includes(name));
  return [...handlersOnRoute, ...routeHandlers(namesOffRoute, routing.definitions.inNamespace(namespace.name))];
}

/**
 * Notifies handlers of the pending resolution of an earlier problem of the check, if no silence covers it any more. A
 * new result may arrive before the timer detects the end of the silence. The earlier resolution must be notified before
 * the new problem.
 */
function notifyEarlierResolution(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  const { namespace } = client;
  const resolutions = pendingResolutionsOf(namespace);
  const pending = resolutions.size === 0 ? undefined : resolutions.get(client.name, check.name);
  if (pending === undefined || !transaction.hasBody(PENDING_RESOLUTIONS, pending)) return;
  if (!isResolutionStillSilenced(namespace, pending, transaction.nowMs)) {
    notifyPendingResolution(transaction, namespace, pending);
  }
}

function notifyHandlers(transaction: Transaction, occurrence: Occurrence, handlers: readonly RoutedHandler[]): void {
  const record = transaction.body(CLIENTS, occurrence.client);
  const context = buildNotificationContext(transaction, occurrence, { clientRecord: record, handlers });
  applyDecisions(transaction, occurrence, context, decideNotifications(context));
}

/**
 * True if an inhibition suppressed a notification of an event that still fires, and no inhibition suppresses the event
 * any more.
 */
function isInhibitionEnded(transaction: Transaction, occurrence: Occurrence): boolean {
  const { notifications, action } = occurrence.state;
  if (notifications.inhibitedBy === undefined || notifications.pending?.inhibition === undefined) return false;
  return action !== 'resolve' && inhibitionContext(transaction, occurrence).inhibition === undefined;
}

/** Returns a context without handlers and silences, which is only used to evaluate the inhibition of an event. */
function inhibitionContext(
  transaction: Transaction,
  occurrence: Occurrence,
): ReturnType<typeof buildNotificationContext> {
  const record = transaction.body(CLIENTS, occurrence.client);
  return buildNotificationContext(transaction, occurrence, {
    clientRecord: record,
    handlers: NO_ITEMS,
    overrides: { silencedBy: NO_ITEMS },
  });
}

/**
 * Records in the log of a stored event that no inhibition suppresses the event. Called for an event that no handler can
 * be notified of, because the inhibition of such an event is not evaluated.
 */
function saveLogWithoutInhibition(transaction: Transaction, occurrence: Occurrence): void {
  const entry = entryOfStoredEvent(occurrence);
  if (entry !== undefined) {
    saveNotifications(transaction, entry, removeSuppression(occurrence.state.notifications, 'inhibition'));
  }
}

function reportDetails(namespace: Namespace, event: HandledEvent): Parameters<typeof reportVerdicts>[1] {
  const { id, client, check, action, occurrences } = event;
  const eventKey = { namespace: namespace.name, client: client.name, check: check.name };
  return { ...eventKey, status: check.status, action, occurrences, event_id: id };
}

/** The only verdict about an event whose check has `handle: false`. It applies to all handlers of the check. */
const DISABLED_VERDICTS: readonly HandlerVerdict[] = [
  { handler: '*', verdict: 'disabled', reason: 'its check has handle: false' },
];

const NO_ITEMS: readonly never[] = [];
