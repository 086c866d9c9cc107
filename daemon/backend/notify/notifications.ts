import { deregistrationCheck } from '../../../shared/domain/deregistration.ts';
import { pastlessState } from '../../../shared/domain/event.ts';
import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import { release, suppressByInhibition } from '../../../shared/domain/notify/log.ts';
import { decide } from '../../../shared/domain/notify/pipeline.ts';
import {
  heedsSilences,
  isHandlingDisabled,
  routeHandlers,
  type RoutedHandler,
} from '../../../shared/domain/notify/route.ts';
import { isRun, judge } from '../../../shared/domain/notify/verdict.ts';
import {
  REGISTRATION,
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
import { applyDecisions, noteVerdicts, noteHandlingVerdicts } from './apply.ts';
import { contextOf } from './context.ts';
import { enqueue, enqueueUngrouped } from './enqueue.ts';
import { dropResolved } from '../model/notify/groups/mutations.ts';
import { handlersOfGroups } from './groups/queries.ts';
import { recordInhibiting } from './inhibitions/event-inhibition.ts';
import { isSeparateFromStored, isStored, storedEntry, type Occurrence } from './occurrence.ts';
import { deferResolution, removePending } from '../model/notify/silence-ends/mutations.ts';
import { isStillSilenced, pendingResolutionsOf, type PendingResolution } from '../model/notify/silence-ends/state.ts';
import { PENDING_RESOLUTIONS } from '../model/notify/silence-ends/storage.ts';

/*
 * Each function here notifies handlers after one kind of change, such as a result or the end of a silence, in the
 * commit of that change. The flush of a group notifies a handler too, in `groups/flush.ts`.
 */

/**
 * Notifies the handlers of an event that a result opened, continued or resolved, or that is never stored, such as that
 * of a metric check. Before the call, the caller must update the event in the registry, and remove the silences that
 * end when it resolves.
 */
export function notifyResult(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check, state } = occurrence;
  // This does not depend on handlers: the event of a check without handlers can also inhibit others.
  recordInhibiting(transaction, occurrence);
  notifyOfEarlierResolution(transaction, occurrence);
  const isEnd = state.action === 'resolve' && !isSeparateFromStored(occurrence) && transaction.hasBody(CLIENTS, client);
  const route = transaction.routing.route(client.namespace.name, check);
  const others = isEnd ? handlersOfGroups(transaction.routing.definitions, occurrence, route.handlers) : NONE;
  const handlers = others.length === 0 ? route.handlers : [...route.handlers, ...others];
  const refusals = others.length === 0 ? route.refusals : undefined;
  // If all verdicts are known without the event, it is not built. That is usual for checks without handlers.
  const inAdvance = handlers.length === 0 ? NONE : isHandlingDisabled(check) ? DISABLED : refusals;
  if (inAdvance === undefined) notifyHandlers(transaction, occurrence, handlers);
  else {
    if (isStored(occurrence)) saveUnsuppressed(transaction, occurrence);
    noteVerdicts(transaction, occurrence, inAdvance);
  }
  if (isEnd) dropResolved(transaction, client.namespace, { client: client.name, check: check.name, eventId: state.id });
}

/**
 * Notifies handlers of an OK event that resolves nothing. Of the handlers of the check, only those with the v2 event
 * format get it.
 */
export function notifyOk(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) return;
  notifyHandlers(transaction, occurrence, transaction.routing.route(client.namespace.name, check).all);
}

/**
 * Notifies handlers of an open event whose notification a silence suppressed, now that nothing silences the event any
 * more. Handlers with `handle_silenced` are skipped, because the silence did not apply to them. All stages are
 * evaluated as for a new result.
 *
 * @returns true if the caller can now record that the silence ended. False if an inhibition also suppressed the event
 * and has ended: then the next result notifies all handlers of the event (inhibition 2).
 */
export function notifySilenceEnded(transaction: Transaction, occurrence: Occurrence): boolean {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) {
    noteVerdicts(transaction, occurrence, DISABLED);
    return true;
  }
  if (occurrence.state.notifications.inhibitedBy !== undefined && isInhibitionEnded(transaction, occurrence)) {
    return false;
  }
  const { handlers } = transaction.routing.route(client.namespace.name, check);
  notifyHandlers(transaction, occurrence, handlers.filter(heedsSilences));
  return true;
}

/**
 * Evaluates an open event again after the inhibition rules changed. If a rule inhibits it now, its log records that. If
 * no rule inhibits it any more and a notification is pending, handlers are notified as if the event had just occurred.
 */
export function notifyRulesChanged(transaction: Transaction, changed: Occurrence): void {
  const occurrence: Occurrence = { ...changed, isJudged: true };
  if (isInhibitionEnded(transaction, occurrence)) {
    notifyResult(transaction, occurrence);
    return;
  }
  const { inhibition } = plainContext(transaction, occurrence);
  const entry = storedEntry(occurrence);
  if (entry === undefined) return;
  // No result has arrived, so this notifies nobody. Handlers with a pending notification get it with the next result.
  const { notifications } = occurrence.state;
  const log =
    inhibition?.by === undefined
      ? release(notifications, 'inhibition')
      : suppressByInhibition(notifications, inhibition.by, NONE);
  saveNotifications(transaction, entry, log);
}

/** Notifies a handler that a silence is about to expire. The same commit records that the reminder was sent. */
export function notifyReminder(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  handler: string,
): void {
  const event = reminderEvent(entry, { id: transaction.newId(), now: transaction.now, handler });
  const { routing, nowMs } = transaction;
  const inputs = routing.inputs(namespace.name, openEvents(namespace), nowMs);
  const verdicts = routing.route(namespace.name, event.check).handlers.map((routed) => {
    const verdict = routing.withinQueue(namespace.name, routed, judge(routed, event, inputs));
    // A reminder is never put into a group, because it is about a silence and not about an event.
    if (isRun(verdict)) enqueueUngrouped(transaction, namespace, routed, event);
    return verdict;
  });
  noteHandlingVerdicts(transaction, eventDetails(namespace, event), verdicts);
}

/**
 * Notifies handlers that a client appeared for the first time, if the client has the attribute `registration` or a
 * handler with the name `registration` is defined. The event about it is never stored.
 */
export function notifyRegistration(transaction: Transaction, client: ClientEntry): void {
  const definitions = transaction.routing.definitions.in(client.namespace.name);
  const record = transaction.body(CLIENTS, client);
  if (!wantsRegistration(record) && !definitions.hasHandler(REGISTRATION)) return;
  const check = registrationCheck(record, transaction.now);
  const state = registrationState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/**
 * Notifies handlers that a client is deregistered. It must be called before the client is removed. The event about it
 * is never stored.
 */
export function notifyDeregistration(transaction: Transaction, client: ClientEntry): void {
  const check = deregistrationCheck(transaction.body(CLIENTS, client)['deregistration'], transaction.now);
  const state = pastlessState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/**
 * Notifies handlers of the pending resolution of a problem that resolved while it was silenced, now that nothing
 * silences it any more. The batch must have read the stored resolution.
 *
 * @returns false if the resolution stays pending, for the handlers whose queue is full
 */
export function notifyPendingResolution(
  transaction: Transaction,
  namespace: Namespace,
  pending: PendingResolution,
): boolean {
  const { routing, nowMs } = transaction;
  const resolved = transaction.body(PENDING_RESOLUTIONS, pending);
  const event: HandledEvent = {
    ...resolved,
    silenced: false,
    silenced_by: [],
    silence_ended: true,
  };
  const inputs = routing.inputs(namespace.name, openEvents(namespace), nowMs);
  const judged = handlersOf(transaction, namespace, pending, event).map((handler) => ({
    handler,
    verdict: routing.withinQueue(namespace.name, handler, judge(handler, event, inputs)),
  }));
  removePending(transaction, namespace, pending);
  // A full queue does not drop a resolution, because the problem would then stay open at the receiver forever.
  const full = judged.flatMap(({ handler, verdict }) => (verdict.verdict === 'overflow' ? [handler.name] : []));
  if (full.length > 0) deferResolution(transaction, namespace, resolved, full);
  for (const { handler, verdict } of judged) if (isRun(verdict)) enqueue(transaction, namespace, handler, event);
  noteHandlingVerdicts(
    transaction,
    eventDetails(namespace, event),
    judged.map(({ verdict }) => verdict),
  );
  return full.length === 0;
}

/**
 * Returns the handlers that must be notified of a pending resolution, even those that are no longer on the route of the
 * event. If the stored set names no handlers but means all, these are all handlers on the route.
 */
function handlersOf(
  { routing }: Transaction,
  namespace: Namespace,
  { handlers: pending }: PendingResolution,
  { check }: HandledEvent,
): readonly RoutedHandler[] {
  const route = routing.route(namespace.name, check).handlers;
  if (pending === 'all') return route;
  const others = pending.filter((name) => !route.some((handler) => handler.name === name));
  const routed = route.filter(({ name }) => pending.includes(name));
  return [...routed, ...routeHandlers(others, routing.definitions.in(namespace.name))];
}

/**
 * Notifies handlers of the pending resolution of an earlier problem of the check, if nothing silences it any more. A
 * new result may arrive before the timer notices the end of the silence. The earlier resolution must be notified before
 * the new problem.
 */
function notifyOfEarlierResolution(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  const { namespace } = client;
  const resolutions = pendingResolutionsOf(namespace);
  const pending = resolutions.size === 0 ? undefined : resolutions.get(client.name, check.name);
  if (pending === undefined || !transaction.hasBody(PENDING_RESOLUTIONS, pending)) return;
  if (!isStillSilenced(namespace, pending, transaction.nowMs)) {
    notifyPendingResolution(transaction, namespace, pending);
  }
}

function notifyHandlers(transaction: Transaction, occurrence: Occurrence, handlers: readonly RoutedHandler[]): void {
  const record = transaction.body(CLIENTS, occurrence.client);
  const context = contextOf(transaction, occurrence, { record, handlers });
  applyDecisions(transaction, occurrence, context, decide(context));
}

/** True if a notification is pending because an inhibition suppressed it, and no inhibition suppresses it any more. */
function isInhibitionEnded(transaction: Transaction, occurrence: Occurrence): boolean {
  const { notifications, action } = occurrence.state;
  if (notifications.inhibitedBy === undefined || notifications.pending?.inhibition === undefined) return false;
  return action !== 'resolve' && plainContext(transaction, occurrence).inhibition === undefined;
}

/** Returns a context without handlers and silences. It is only used to evaluate the inhibition of an event. */
function plainContext(transaction: Transaction, occurrence: Occurrence): ReturnType<typeof contextOf> {
  const record = transaction.body(CLIENTS, occurrence.client);
  return contextOf(transaction, occurrence, { record, handlers: NONE, assumed: { silencedBy: NONE } });
}

/**
 * Records in the log of a stored event that no inhibition suppresses it. This is for an event that no handler can be
 * notified of, whose inhibition is not evaluated.
 */
function saveUnsuppressed(transaction: Transaction, occurrence: Occurrence): void {
  const entry = storedEntry(occurrence);
  if (entry !== undefined) {
    saveNotifications(transaction, entry, release(occurrence.state.notifications, 'inhibition'));
  }
}

function eventDetails(namespace: Namespace, event: HandledEvent): Parameters<typeof noteHandlingVerdicts>[1] {
  const { id, client, check, action, occurrences } = event;
  const names = { namespace: namespace.name, client: client.name, check: check.name };
  return { ...names, status: check.status, action, occurrences, event_id: id };
}

/** The only verdict about an event whose check has `handle: false`, whatever handlers the check names. */
const DISABLED: readonly HandlerVerdict[] = [
  { handler: '*', verdict: 'disabled', reason: 'its check has handle: false' },
];

const NONE: readonly never[] = [];
