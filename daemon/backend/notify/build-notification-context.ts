import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { StoredEvents } from '../../../shared/domain/filter-event.ts';
import type {
  GroupNotificationRecord,
  NotificationContext,
} from '../../../shared/domain/notify/notification-context.ts';
import { getsV2Events, type RoutedHandler } from '../../../shared/domain/notify/route.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { openEvents } from '../model/events/state.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import { groupsOf } from '../model/notify/groups/state.ts';
import { findInhibition, type InhibitionInputs } from './inhibitions/event-inhibition.ts';
import {
  leavesStoredEventUnchanged,
  activeSilenceIds,
  eventForV2Handlers,
  type Occurrence,
} from './event-occurrence.ts';
import type { Routing } from '../model/notify/routing.ts';

/** The state on which the decisions about the handlers of an event depend. A `Transaction` provides it. */
export interface NotificationContextSource extends InhibitionInputs {
  readonly routing: Routing;
  /** The time at which the decisions are made, in epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Values that replace those from the state in memory, for example for a simulated result. Absent values are taken from
 * the state in memory.
 */
interface StateOverrides {
  readonly events?: StoredEvents;
  readonly silencedBy?: readonly string[];
  readonly leavesStoredEventUnchanged?: boolean;
}

/** Collects the inputs for the decision which of `handlers` are notified of an event. */
export function buildNotificationContext(
  source: NotificationContextSource,
  occurrence: Occurrence,
  {
    clientRecord,
    handlers,
    overrides = {},
  }: {
    readonly clientRecord: Client;
    readonly handlers: readonly RoutedHandler[];
    readonly overrides?: StateOverrides;
  },
): NotificationContext {
  const { routing, nowMs } = source;
  const { namespace } = occurrence.client;
  const silenceIds = overrides.silencedBy ?? activeSilenceIds(occurrence, nowMs);
  const event = buildEvent({ ...occurrence, client: clientRecord, silencedBy: silenceIds });
  return {
    ...routing.stageInputs(namespace.name, overrides.events ?? openEvents(namespace), nowMs),
    ...routing.settings(),
    event,
    v2Event: handlers.some(getsV2Events) ? eventForV2Handlers(occurrence, event, nowMs) : event,
    handlers,
    notificationLog: occurrence.state.notifications,
    escalations: occurrence.state.escalations ?? NONE,
    isNewEvent: occurrence.isNewEvent === true,
    acknowledgementEnd: occurrence.acknowledgementEnd,
    leavesStoredEventUnchanged: overrides.leavesStoredEventUnchanged ?? leavesStoredEventUnchanged(occurrence),
    inhibition: findInhibition(source, occurrence, event),
    findGroupRecord: (handler) => groupNotificationRecord(namespace, handler, event),
    isQueueFull: (handler) => routing.isQueueFull(namespace.name, handler),
  };
}

function groupNotificationRecord(
  namespace: Namespace,
  handler: string,
  { client, check }: Pick<Event, 'client' | 'check'>,
): GroupNotificationRecord | undefined {
  const groups = groupsOf(namespace);
  const member = groups.size === 0 ? undefined : groups.member(handler, client.name, check.name);
  if (member === undefined) return undefined;
  const { lastNotified } = member;
  const wasInhibitedAtFlush = lastNotified === 'inhibited';
  return { wasInhibitedAtFlush, wasNotified: lastNotified !== undefined && !wasInhibitedAtFlush };
}

const NONE: readonly never[] = [];
