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
 * The occasions on which handlers are notified. Each of them runs the pipeline in the commit of what happened. The
 * flush of a group is the last one: `groups/flush.ts`.
 */

/**
 * Notifies the handlers of an event that a result opened, continued or resolved. The entry of the event in the registry
 * must be up to date, and silences that end with the event removed.
 */
export function notifyResult(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check, state } = occurrence;
  // A check without handlers can still inhibit others.
  recordInhibiting(transaction, occurrence);
  notifyOfEarlierResolution(transaction, occurrence);
  const isEnd = state.action === 'resolve' && !isSeparateFromStored(occurrence) && transaction.hasBody(CLIENTS, client);
  const route = transaction.routing.route(client.namespace.name, check);
  const others = isEnd ? handlersOfGroups(transaction.routing.definitions, occurrence, route.handlers) : NONE;
  const handlers = others.length === 0 ? route.handlers : [...route.handlers, ...others];
  const refusals = others.length === 0 ? route.refusals : undefined;
  // The usual case without handlers: skip building the event.
  const inAdvance = handlers.length === 0 ? NONE : isHandlingDisabled(check) ? DISABLED : refusals;
  if (inAdvance === undefined) notifyHandlers(transaction, occurrence, handlers);
  else {
    if (isStored(occurrence)) saveUnsuppressed(transaction, occurrence);
    noteVerdicts(transaction, occurrence, inAdvance);
  }
  if (isEnd) dropResolved(transaction, client.namespace, { client: client.name, check: check.name, eventId: state.id });
}

/** Notifies the handlers of a check that get every event about an OK event that resolves nothing. */
export function notifyOk(transaction: Transaction, occurrence: Occurrence): void {
  const { client, check } = occurrence;
  if (isHandlingDisabled(check)) return;
  notifyHandlers(transaction, occurrence, transaction.routing.route(client.namespace.name, check).all);
}

/**
 * Notifies of an open event that silences suppressed and that is no longer silenced, only the handlers that heed
 * silences: the others were notified already. Verdicts and runs are the same as for a new occurrence.
 *
 * @returns whether the silence is settled; false: an inhibition suppressed the event too and has lifted, so the next
 * result notifies all of them (inhibition 2)
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
 * Judges an open event again after the inhibition rules changed. Newly inhibited events are recorded. An event whose
 * inhibition lifted is notified as if it had occurred just now.
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
  // No occurrence came in: handlers with a pending notification get it with the next one.
  const { notifications } = occurrence.state;
  const log =
    inhibition?.by === undefined
      ? release(notifications, 'inhibition')
      : suppressByInhibition(notifications, inhibition.by, NONE);
  saveNotifications(transaction, entry, log);
}

/** Notifies a handler that a silence is about to expire, in the commit that records the reminder. */
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
    // Groups do not apply, because there is no event to group.
    if (isRun(verdict)) enqueueUngrouped(transaction, namespace, routed, event);
    return verdict;
  });
  noteHandlingVerdicts(transaction, eventDetails(namespace, event), verdicts);
}

/**
 * Notifies handlers of a client that is seen for the first time, if the client has the attribute `registration` or a
 * handler of that name is defined. The event is never stored.
 */
export function notifyRegistration(transaction: Transaction, client: ClientEntry): void {
  const definitions = transaction.routing.definitions.in(client.namespace.name);
  const record = transaction.body(CLIENTS, client);
  if (!wantsRegistration(record) && !definitions.hasHandler(REGISTRATION)) return;
  const check = registrationCheck(record, transaction.now);
  const state = registrationState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/** Notifies handlers that a client is being deregistered, while it is still there. The event is never stored. */
export function notifyDeregistration(transaction: Transaction, client: ClientEntry): void {
  const check = deregistrationCheck(transaction.body(CLIENTS, client)['deregistration'], transaction.now);
  const state = pastlessState(transaction.newId(), check, transaction.now);
  notifyResult(transaction, { client, check, state, history: EMPTY_HISTORY });
}

/**
 * Notifies the handlers of a problem that it resolved while it was silenced, now that the silence has ended. The
 * command must have requested the event.
 *
 * @returns false: it stays pending for handlers whose queue is full
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
  // A dropped resolution would leave the incident open for ever.
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

/** Returns the handlers of a pending resolution: those on the route of the event, and others that were notified. */
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
 * A result may come before the clock has noticed the end of a silence. The resolution of the earlier problem must not
 * follow the notification of the next one.
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

/** True if an inhibition suppressed notifications of an event, and none applies any more. */
function isInhibitionEnded(transaction: Transaction, occurrence: Occurrence): boolean {
  const { notifications, action } = occurrence.state;
  if (notifications.inhibitedBy === undefined || notifications.pending?.inhibition === undefined) return false;
  return action !== 'resolve' && plainContext(transaction, occurrence).inhibition === undefined;
}

/** Returns the context of an event without handlers, as inhibitions see it. */
function plainContext(transaction: Transaction, occurrence: Occurrence): ReturnType<typeof contextOf> {
  const record = transaction.body(CLIENTS, occurrence.client);
  return contextOf(transaction, occurrence, { record, handlers: NONE, assumed: { silencedBy: NONE } });
}

/** Records that nothing suppresses a stored event, because it has no handlers to notify. */
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

/** One verdict for the whole event, whatever handlers it has. */
const DISABLED: readonly HandlerVerdict[] = [
  { handler: '*', verdict: 'disabled', reason: 'its check has handle: false' },
];

const NONE: readonly never[] = [];
