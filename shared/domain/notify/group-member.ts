import type { Event } from '../../schemas/event.ts';
import type { GroupChange } from '../../schemas/grouping.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';

/**
 * The event's status in the last group notification that included the event; undefined if there was none. Two special
 * values can replace the status:
 *
 * - `renotify`: a group notification has included the event, and a silence or the acknowledgement of the event has
 *   ended since. The next group notification must include the event as changed.
 * - `inhibited`: the event was inhibited at a flush before any group notification included it. The next result of the
 *   event that passes all decision stages removes this value.
 */
export type LastNotifiedStatus = number | 'renotify' | 'inhibited' | undefined;

/** The state of an event as a member of its group. */
export interface MemberState {
  readonly eventId: string;
  readonly status: number;
  /** True if the problem of the event has resolved. */
  readonly isResolved: boolean;
  /**
   * True if the event is not stored as an open event, for example the registration of a client. The group removes such
   * an event after the first notification that includes it.
   */
  readonly isTransient: boolean;
  readonly lastNotified: LastNotifiedStatus;
}

/**
 * Returns the state of a group member after a new occurrence of its event, such as a result.
 *
 * @param before the previous state; undefined if no group of the handler contains the event yet
 * @param isOpenEvent true if the event is stored as the open event of its check; ignored for a resolution
 * @returns undefined if the problem resolved before any notification included it: the event must then leave the group
 */
export function nextMemberState(
  before: MemberState | undefined,
  event: Pick<HandledEvent, 'id' | 'action' | 'silence_ended' | 'acknowledgement_expired' | 'acknowledgement_ended'> & {
    readonly check: Pick<Event['check'], 'status'>;
  },
  isOpenEvent: boolean,
): MemberState | undefined {
  const isResolved = event.action === 'resolve';
  const isUnnotified =
    before !== undefined && !before.isResolved && !before.isTransient && wasNeverNotified(before.lastNotified);
  if (isResolved && isUnnotified) return undefined;
  const lastNotified = before?.lastNotified === 'inhibited' ? undefined : before?.lastNotified;
  const isSuppressionEnded =
    event.silence_ended === true || event.acknowledgement_expired === true || event.acknowledgement_ended === true;
  const mustRenotify = isSuppressionEnded && lastNotified !== undefined;
  return {
    eventId: event.id,
    status: event.check.status,
    isResolved,
    isTransient: !isOpenEvent && !isResolved,
    lastNotified: mustRenotify ? 'renotify' : lastNotified,
  };
}

/**
 * Merges the `lastNotified` values that a renamed check has under its old and its new name. Returns `first`, or
 * `second` if only `second` says that the handler was notified of the event.
 */
export function mergeLastNotified(first: LastNotifiedStatus, second: LastNotifiedStatus): LastNotifiedStatus {
  return wasNeverNotified(first) && !wasNeverNotified(second) ? second : first;
}

export function wasNeverNotified(lastNotified: LastNotifiedStatus): boolean {
  return lastNotified === undefined || lastNotified === 'inhibited';
}

/**
 * True if a notification of an event is pending in its group. Silences and inhibitions are ignored here, because only
 * the flush evaluates them. An event that a flush has marked as inhibited has no pending notification.
 */
export function hasPendingChange(state: MemberState): boolean {
  return state.lastNotified !== 'inhibited' && changeSinceNotified(state) !== 'same';
}

/** Returns the change of an event since the last notification of its group that included it. */
export function changeSinceNotified({ isResolved, status, lastNotified }: MemberState): GroupChange {
  if (isResolved) return 'resolved';
  if (wasNeverNotified(lastNotified)) return 'new';
  return lastNotified === status ? 'same' : 'changed';
}
