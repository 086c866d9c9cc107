import type { Event } from '../../schemas/event.ts';
import type { GroupChange } from '../../schemas/grouping.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';

/**
 * The status that an event had when its group last notified it; undefined if the group never notified it.
 *
 * - `renotify`: the group has notified the event and must do so again, because a silence of it ended.
 * - `inhibited`: a flush skipped the event, which was inhibited and never notified. The next result that passes all
 *   stages removes this mark.
 */
export type LastNotifiedStatus = number | 'renotify' | 'inhibited' | undefined;

/** The state of an event as a member of its group. */
export interface MemberState {
  readonly eventId: string;
  readonly status: number;
  /** True if the problem of the event has resolved. */
  readonly isResolved: boolean;
  /**
   * True if the event is not stored as an open event, for example the registration of a client. The group notifies it
   * once and then removes it.
   */
  readonly isTransient: boolean;
  readonly lastNotified: LastNotifiedStatus;
}

/**
 * Returns the state of a group member after its event occurred again, or for the first time.
 *
 * @param before the previous state; undefined if the event is not in a group of the handler yet
 * @param isOpenEvent true if the event is stored as the open event of its check; it does not matter for a resolution
 * @returns undefined if the problem resolved before the group notified it: the event then leaves the group
 */
export function nextMemberState(
  before: MemberState | undefined,
  event: Pick<HandledEvent, 'id' | 'action' | 'silence_ended'> & { readonly check: Pick<Event['check'], 'status'> },
  isOpenEvent: boolean,
): MemberState | undefined {
  const isResolved = event.action === 'resolve';
  const isUnnotified =
    before !== undefined && !before.isResolved && !before.isTransient && wasNeverNotified(before.lastNotified);
  if (isResolved && isUnnotified) return undefined;
  const lastNotified = before?.lastNotified === 'inhibited' ? undefined : before?.lastNotified;
  const mustRenotify = event.silence_ended === true && lastNotified !== undefined;
  return {
    eventId: event.id,
    status: event.check.status,
    isResolved,
    isTransient: !isOpenEvent && !isResolved,
    lastNotified: mustRenotify ? 'renotify' : lastNotified,
  };
}

/**
 * Merges the records of the last notification of an event whose check was renamed, and which groups have under both
 * names. The result is the first record, or the second one if the event was notified only under the second name.
 */
export function mergeLastNotified(first: LastNotifiedStatus, second: LastNotifiedStatus): LastNotifiedStatus {
  return wasNeverNotified(first) && !wasNeverNotified(second) ? second : first;
}

export function wasNeverNotified(lastNotified: LastNotifiedStatus): boolean {
  return lastNotified === undefined || lastNotified === 'inhibited';
}

/**
 * True if a notification of an event is pending in its group, ignoring silences and inhibitions, which only the flush
 * evaluates. An event that a flush marked as inhibited has none.
 */
export function hasPendingChange(state: MemberState): boolean {
  return state.lastNotified !== 'inhibited' && changeSinceNotified(state) !== 'same';
}

/** Returns how an event has changed since its group last notified it. */
export function changeSinceNotified({ isResolved, status, lastNotified }: MemberState): GroupChange {
  if (isResolved) return 'resolved';
  if (wasNeverNotified(lastNotified)) return 'new';
  return lastNotified === status ? 'same' : 'changed';
}
