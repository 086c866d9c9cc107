import type { Transition } from '../../schemas/timeline.ts';
import type { CheckState, EventState } from '../event.ts';

/** What a change of state comes to in the timeline. */
export type Turn = Pick<Transition, 'kind' | 'was' | 'status' | 'flapping' | 'occurrences' | 'inhibited_by'>;

/**
 * What a result, or whatever else replaces the state of a client and check, is in its timeline (spec, timeline 1).
 *
 * Asked for every result: of one that is OK and follows nothing it looks at two attributes.
 *
 * @returns undefined: the list of events shows what it showed before, but for counters
 */
export function turnOf(before: CheckState, after: CheckState): Turn | undefined {
  const { event: old } = before;
  const { event } = after;
  if (old === undefined) {
    if (event !== undefined) return { kind: 'create', ...wasOf(before), ...shownOf(event) };
    return before.history.length > 0 || after.history.length === 0 ? undefined : { kind: 'new', status: 0 };
  }
  if (event === undefined) return endOf(old);
  if (old.action !== event.action) {
    return { kind: event.action === 'flapping' ? 'flapping' : 'steady', was: old.status, ...shownOf(event) };
  }
  if (old.status !== event.status) return { kind: 'change', was: old.status, ...shownOf(event) };
  if ((old.recovery === undefined) === (event.recovery === undefined)) return undefined;
  return { kind: event.recovery === undefined ? 'relapse' : 'recovering', was: old.status, ...shownOf(event) };
}

function endOf({ status: was, occurrences, inhibited }: EventState): Turn {
  const end = { kind: 'resolve' as const, was, status: 0, occurrences };
  if (inhibited === undefined) return end;
  const { rule, client, check } = inhibited;
  return { ...end, inhibited_by: { rule, client, check } };
}

/** What it is that a client and check of this state is deleted; undefined: there was nothing to delete. */
export function removalOf(before: CheckState): Turn | undefined {
  const was = wasOf(before);
  return was.was === undefined ? undefined : { kind: 'remove', ...was };
}

/** Whether anything is known of a check. */
export function isKnown({ event, history }: CheckState): boolean {
  return event !== undefined || history.length > 0;
}

function wasOf({ event, history }: CheckState): Pick<Turn, 'was'> {
  if (event !== undefined) return { was: event.status };
  return history.length === 0 ? {} : { was: 0 };
}

function shownOf({ status, action, occurrences }: EventState): Omit<Turn, 'kind' | 'was'> {
  return { status, ...(action === 'flapping' && { flapping: true }), occurrences };
}
