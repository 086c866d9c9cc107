import {
  handlersSentence,
  noEventSentence,
  pendingResolutionSentence,
  recoverySentence,
} from '../../../shared/domain/notify/explain.ts';
import { nextPassingOccurrence } from '../../../shared/domain/filter-event.ts';
import { wasHandlerNotified } from '../../../shared/domain/notify/notification-log.ts';
import { decideNotifications } from '../../../shared/domain/notify/decide-notifications.ts';
import {
  handlerIdentity,
  isRoutable,
  unroutableVerdict,
  type RoutedHandler,
} from '../../../shared/domain/notify/route.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type {
  Deliveries,
  LastDelivery,
  DeliveryView,
  ExplainedEvent,
  Explanation,
  HandlerExplanation,
  HandlerVerdict,
} from '../../../shared/schemas/explain.ts';
import type { Recovery } from '../../../shared/schemas/recovery.ts';
import { subdueOf } from '../../schedule/subdue.ts';
import type { Store } from '../ports.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { readClient } from '../model/clients/queries.ts';
import { eventOf } from './queries.ts';
import { buildNotificationContext } from '../notify/build-notification-context.ts';
import { verdictsWithGroups } from '../notify/groups/queries.ts';
import {
  pendingResolutionsOf,
  silenceIdsSuppressing,
  type PendingResolution,
} from '../model/notify/silence-ends/state.ts';
import type { Registry } from '../model/registry/registry.ts';
import { readRecords } from '../model/events/read-records.ts';
import type { Routing } from '../model/notify/routing.ts';

/** The dependencies of `explainEvent`. */
export interface ExplainDependencies {
  readonly store: Store;
  readonly routing: Routing;
  readonly registry: Registry;
  readonly deliveries: Deliveries;
}

/**
 * Explains for each handler of a check why it runs or does not run for the stored event, if there is one.
 *
 * @returns the explanation; undefined if the client was deleted, or if neither a result nor an event of the check is
 *   stored
 */
export async function explainEvent(
  { store, routing, registry, deliveries }: ExplainDependencies,
  entry: CheckEntry,
  nowMs: number,
): Promise<Explanation | undefined> {
  const [[entryWithRecord], owner] = await Promise.all([readRecords(store, [entry]), readClient(store, entry.client)]);
  if (entryWithRecord === undefined || owner === undefined) return undefined;
  const [, record] = entryWithRecord;
  const { name: client, namespace } = entry.client;
  const definition = routing.definitions.inNamespace(namespace.name).check(entry.name);
  const subdued = definition !== undefined && subdueOf(definition)(nowMs) ? { subdued: true } : {};
  const deliveryAt = (verdict: HandlerVerdict): HandlerExplanation => ({
    ...verdict,
    delivery: deliveryView(
      verdict.group === undefined
        ? deliveries.lastDeliveryForCheck(namespace.name, client, entry.name, verdict.handler)
        : deliveries.lastDeliveryForGroup(namespace.name, verdict.group.id, verdict.handler),
    ),
  });
  const event = eventOf(entry, record, owner, nowMs);
  const subject = { client, check: entry.name };
  if (event !== undefined && record.event !== undefined) {
    const check = record.eventCheck ?? record.check ?? undefined;
    if (check === undefined) return undefined;
    const history = record.eventHistory ?? record.history;
    const { handlers } = routing.route(namespace.name, event.check);
    const occurrence = { client: entry.client, check, state: record.event, history };
    const assumed = { silencedBy: event.silenced_by, leavesStoredEventUnchanged: false };
    const context = buildNotificationContext({ routing, registry, nowMs }, occurrence, {
      clientRecord: owner,
      handlers,
      overrides: assumed,
    });
    const { decisions } = decideNotifications(context);
    const verdicts = verdictsWithGroups(decisions, { namespace, event, nowMs });
    const { recovery } = record.event;
    const handled = handlersSentence(verdicts);
    const reason = recovery === undefined ? handled : recoverySentence(recovery, handled);
    const { notifications } = record.event;
    const explained = (verdict: HandlerVerdict): HandlerExplanation => ({
      ...deliveryAt(verdict),
      // A group records when it was notified. The log already names its handler while the notification is pending.
      notified:
        context.findGroupRecord(verdict.handler)?.wasNotified ?? wasHandlerNotified(notifications, verdict.handler),
      ...nextOccurrence(verdict, event),
    });
    const handlersExplained = verdicts.map(explained);
    return { ...subject, event: eventSummary(event, recovery), ...subdued, reason, handlers: handlersExplained };
  }
  if (record.check === null) return undefined;
  const pending = pendingResolutionsOf(namespace).get(client, entry.name);
  const { handlers } = routing.route(namespace.name, record.check);
  const silencedBy = pending === undefined ? [] : silenceIdsSuppressing(namespace, pending, nowMs);
  const verdicts = handlers.map((handler) => verdictWithoutEvent(handler, pending, silencedBy));
  const reason = pending === undefined ? noEventSentence(record.check.status) : pendingResolutionSentence(silencedBy);
  return { ...subject, event: null, ...subdued, reason, handlers: verdicts.map(deliveryAt) };
}

/** Returns when the filter `occurrences` passes the event again; empty if it does not reject the event. */
function nextOccurrence({ filter }: HandlerVerdict, event: Event): Pick<HandlerExplanation, 'next_occurrence'> {
  const next = filter === 'occurrences' ? nextPassingOccurrence(event) : undefined;
  return next === undefined ? {} : { next_occurrence: next };
}

function deliveryView(delivery: LastDelivery | undefined): DeliveryView | null {
  return delivery === undefined ? null : { ...delivery, at: Math.floor(delivery.at / 1000) };
}

function verdictWithoutEvent(
  handler: RoutedHandler,
  pending: PendingResolution | undefined,
  silencedBy: readonly string[],
): HandlerVerdict {
  if (!isRoutable(handler)) return unroutableVerdict(handler);
  if (pending?.handlers !== 'all' && pending?.handlers.includes(handler.name) !== true) {
    return { ...handlerIdentity(handler), verdict: 'no_event', reason: 'there is no event to handle' };
  }
  const reason = `the event resolved while it was silenced by ${silencedBy.join(', ')}; the resolution is notified after that`;
  return { ...handlerIdentity(handler), verdict: 'silenced', reason, silenced_by: silencedBy };
}

function eventSummary(
  { id, check, action, occurrences, silenced_by }: Event,
  recovering: Recovery | undefined,
): ExplainedEvent {
  const shown = { id, status: check.status, action, occurrences, silenced_by };
  return recovering === undefined ? shown : { ...shown, recovering };
}
