import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { StoredEvents } from '../../../shared/domain/filter-event.ts';
import type { GroupKnowledge, NotificationContext } from '../../../shared/domain/notify/context.ts';
import { getsV2Events, type RoutedHandler } from '../../../shared/domain/notify/route.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { openEvents } from '../model/events/state.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { groupsOf } from '../model/notify/groups/state.ts';
import { inhibitionOf, type InhibitionSource } from './inhibitions/event-inhibition.ts';
import { isSeparateFromStored, silencesOf, eventForV2Handlers, type Occurrence } from './occurrence.ts';
import type { Routing } from '../model/notify/route.ts';

/** The state, besides the event, that decides which handlers are notified. Every `Transaction` has these members. */
export interface ContextSource extends InhibitionSource {
  readonly routing: Routing;
  /** The time at which the decisions are made, in epoch milliseconds. */
  readonly nowMs: number;
}

/** Values that are used in place of those from the state in memory, for example for a simulated result. */
interface Assumed {
  readonly events?: StoredEvents;
  readonly silencedBy?: readonly string[];
  readonly isSeparateFromStored?: boolean;
}

/** Collects everything that decides which of the passed handlers are notified of an event. */
export function contextOf(
  source: ContextSource,
  occurrence: Occurrence,
  {
    record,
    handlers,
    assumed = {},
  }: {
    readonly record: Client;
    readonly handlers: readonly RoutedHandler[];
    readonly assumed?: Assumed;
  },
): NotificationContext {
  const { routing, nowMs } = source;
  const { namespace } = occurrence.client;
  const silencedIds = assumed.silencedBy ?? silencesOf(occurrence, nowMs);
  const event = buildEvent({ ...occurrence, client: record, silencedBy: silencedIds });
  return {
    ...routing.inputs(namespace.name, assumed.events ?? openEvents(namespace), nowMs),
    ...routing.settings(),
    event,
    v2Event: handlers.some(getsV2Events) ? eventForV2Handlers(occurrence, event, nowMs) : event,
    handlers,
    log: occurrence.state.notifications,
    isNew: occurrence.isNew === true,
    isSeparateFromStored: assumed.isSeparateFromStored ?? isSeparateFromStored(occurrence),
    inhibition: inhibitionOf(source, occurrence, event),
    groupOf: (handler) => groupKnowledge(namespace, handler, event),
    isQueueFull: (handler) => routing.isQueueFull(namespace.name, handler),
  };
}

function groupKnowledge(
  namespace: Namespace,
  handler: string,
  { client, check }: Pick<Event, 'client' | 'check'>,
): GroupKnowledge | undefined {
  const groups = groupsOf(namespace);
  const member = groups.size === 0 ? undefined : groups.member(handler, client.name, check.name);
  if (member === undefined) return undefined;
  const { lastNotified } = member;
  const suppressedAtFlush = lastNotified === 'inhibited';
  return { suppressedAtFlush, wasNotified: lastNotified !== undefined && !suppressedAtFlush };
}
