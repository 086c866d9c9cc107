import type { EscalationChange } from '../../schemas/escalation.ts';
import type { Transition } from '../../schemas/timeline.ts';
import type { CheckState, EventState } from '../event.ts';

/** The timeline entry for a change in the state of a check on a client. */
export type StateChange = Pick<
  Transition,
  | 'kind'
  | 'was'
  | 'status'
  | 'flapping'
  | 'occurrences'
  | 'inhibited_by'
  | 'creator'
  | 'reason'
  | 'end'
  | 'sticky'
  | 'escalation'
>;

/**
 * Returns the timeline entry for a result, or for another change in the state of a check on a client (spec, timeline
 * 1).
 *
 * It runs for every result. For an OK result of a check without an event it does almost no work.
 *
 * @returns undefined if nothing changes, or only counters such as `occurrences`
 */
export function stateChangeOf(before: CheckState, after: CheckState): StateChange | undefined {
  const { event: old } = before;
  const { event } = after;
  if (old === undefined) {
    if (event !== undefined) return { kind: 'create', ...previousStatusOf(before), ...shownOf(event) };
    return before.history.length > 0 || after.history.length === 0 ? undefined : { kind: 'new', status: 0 };
  }
  if (event === undefined) return endOf(old);
  if (old.action !== event.action) {
    return { kind: event.action === 'flapping' ? 'flapping' : 'steady', was: old.status, ...shownOf(event) };
  }
  if (old.status !== event.status) return { kind: 'change', was: old.status, ...shownOf(event) };
  if ((old.recovery === undefined) !== (event.recovery === undefined)) {
    return { kind: event.recovery === undefined ? 'relapse' : 'recovering', was: old.status, ...shownOf(event) };
  }
  if (old.acknowledgement === event.acknowledgement) return undefined;
  return acknowledgementChange(old.status, event);
}

/** Returns the timeline entry for the change of an escalation of an open event. */
export function escalationTransition(event: EventState, escalation: EscalationChange): StateChange {
  return { kind: 'escalate', was: event.status, ...shownOf(event), escalation };
}

function acknowledgementChange(was: number, event: EventState): StateChange {
  const { acknowledgement } = event;
  if (acknowledgement === undefined) return { kind: 'unacknowledge', was, ...shownOf(event) };
  const { owner, note, until, sticky } = acknowledgement;
  return {
    kind: 'acknowledge',
    was,
    ...shownOf(event),
    creator: owner,
    ...(note !== undefined && { reason: note }),
    ...(until !== undefined && { end: until * 1000 }),
    ...(sticky !== undefined && { sticky }),
  };
}

function endOf({ status: was, occurrences, notifications }: EventState): StateChange {
  const end = { kind: 'resolve' as const, was, status: 0, occurrences };
  const inhibitor = notifications.inhibitedBy;
  if (inhibitor === undefined) return end;
  const { rule, client, check } = inhibitor;
  return { ...end, inhibited_by: { rule, client, check } };
}

/** Returns the timeline entry for the deletion of a check on a client; undefined if there was nothing to delete. */
export function removalOf(before: CheckState): StateChange | undefined {
  const was = previousStatusOf(before);
  return was.was === undefined ? undefined : { kind: 'remove', ...was };
}

/** Whether a check on a client is known: it has an event or a history. */
export function hasState({ event, history }: CheckState): boolean {
  return event !== undefined || history.length > 0;
}

function previousStatusOf({ event, history }: CheckState): Pick<StateChange, 'was'> {
  if (event !== undefined) return { was: event.status };
  return history.length === 0 ? {} : { was: 0 };
}

function shownOf({ status, action, occurrences }: EventState): Omit<StateChange, 'kind' | 'was'> {
  return { status, ...(action === 'flapping' && { flapping: true }), occurrences };
}
