import type { GroupRun, HandledEvent } from '../../schemas/handler-job.ts';
import { v2HandledEvent } from '../v2/handled-event.ts';
import { redactEvent } from '../redact.ts';
import { severityOf } from '../severity.ts';
import { groupId, groupKey } from './group-key.ts';

/** A group in the format for receivers: its summary, then its events. */
type GroupDocument = Readonly<Record<string, unknown>>;

/** Returns the run of a single event for a handler with `group_by`: for a test, or if its group has no room. */
export function groupOfOne(
  { namespace, handler }: { readonly namespace: string; readonly handler: string },
  names: readonly string[],
  event: HandledEvent,
): GroupRun {
  const { key, by } = groupKey(names, event);
  const isResolved = event.action === 'resolve';
  return {
    id: groupId(namespace, handler, key),
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

/** Returns the number of events of a run, with those that its list omits. */
export function eventsIn({ events, omitted }: GroupRun): number {
  return events.length + omitted;
}

/** Returns a group with redacted events. */
export function redactGroup(group: GroupRun): GroupRun {
  return { ...group, events: group.events.map(redactEvent) };
}

/**
 * Returns the JSON document for a handler with `group_by`: each event in its usual form, and its change since the last
 * run.
 */
export function groupDocument(
  { namespace, handler, group }: { readonly namespace: string; readonly handler: string; readonly group: GroupRun },
  format: 'legacy' | 'core' | undefined,
): GroupDocument {
  const { events, ...attributes } = group;
  const shown = events.map(({ change, ...event }) =>
    Object.assign({ change }, format === 'core' ? v2HandledEvent(namespace, event) : event),
  );
  return { group: { namespace, handler, ...attributes }, events: shown };
}
