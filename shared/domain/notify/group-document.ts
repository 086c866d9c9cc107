import type { GroupRun, HandledEvent } from '../../schemas/handler-job.ts';
import { v2HandledEvent } from '../v2/handled-event.ts';
import { redactEvent } from '../redact.ts';
import { severityOf } from '../severity.ts';
import { computeGroupId, computeGroupKey } from './group-key.ts';

/**
 * The JSON document that receivers get as the notification of a group: first the summary of the group, then its events.
 */
type GroupDocument = Readonly<Record<string, unknown>>;

/**
 * Returns a group notification with a single event. A handler with `group_by` gets it in three cases: for a test of the
 * handler, for a silence reminder, or if the event cannot join a group because a limit is reached.
 *
 * @param names the attribute names in `group_by`
 */
export function buildSingleEventGroup(
  { namespace, handler }: { readonly namespace: string; readonly handler: string },
  names: readonly string[],
  event: HandledEvent,
): GroupRun {
  const { key, by } = computeGroupKey(names, event);
  const isResolved = event.action === 'resolve';
  return {
    id: computeGroupId(namespace, handler, key),
    by: Object.fromEntries(by),
    cause: 'change',
    severity: isResolved ? 'ok' : severityOf(event.check.status),
    firing: isResolved ? 0 : 1,
    new: isResolved ? 0 : 1,
    changed: 0,
    resolved: isResolved ? 1 : 0,
    omitted: 0,
    events: [{ ...event, change: isResolved ? 'resolved' : 'new' }],
  };
}

/** Returns the number of events in a group notification: the listed events and the omitted events. */
export function countGroupEvents({ events, omitted }: GroupRun): number {
  return events.length + omitted;
}

/** Returns the notification of a group with all secrets in its events redacted. */
export function redactGroup(group: GroupRun): GroupRun {
  return { ...group, events: group.events.map(redactEvent) };
}

/**
 * Returns the JSON document that a handler with `group_by` gets: the summary of the group, then each event in the event
 * format of the handler. The attribute `change` of an event says what changed since the last group notification that
 * included the event.
 *
 * @param format the `event_format` of the handler
 */
export function buildGroupDocument(
  { namespace, handler, group }: { readonly namespace: string; readonly handler: string; readonly group: GroupRun },
  format: 'legacy' | 'core' | undefined,
): GroupDocument {
  const { events, ...attributes } = group;
  const formattedEvents = events.map(({ change, ...event }) =>
    Object.assign({ change }, format === 'core' ? v2HandledEvent(namespace, event) : event),
  );
  return { group: { namespace, handler, ...attributes }, events: formattedEvents };
}
