import type { Event } from '../../schemas/event.ts';
import type { GroupChange } from '../../schemas/grouping.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';

/**
 * The last notification of an event by its group: the status that it named. `renotify`: it must be notified again,
 * because the silence that suppressed it ended. `inhibited`: an inhibition suppressed it at a flush, until its next
 * result. Undefined: none.
 */
export type LastNotified = number | 'renotify' | 'inhibited' | undefined;

/** The state of an event in its group. */
export interface MemberState {
  readonly eventId: string;
  readonly status: number;
  /** True if its problem has resolved. */
  readonly isResolved: boolean;
  /** True if the event is stored nowhere else, such as a registration: it is notified once and then dropped. */
  readonly isTransient: boolean;
  readonly lastNotified: LastNotified;
}

/**
 * Returns the state of an event in its group after an occurrence.
 *
 * @param isStored whether the event is stored as an open event, or resolves one
 * @returns undefined if it resolved before any notification
 */
export function nextMember(
  before: MemberState | undefined,
  event: Pick<HandledEvent, 'id' | 'action' | 'silence_ended'> & { readonly check: Pick<Event['check'], 'status'> },
  isStored: boolean,
): MemberState | undefined {
  const isResolved = event.action === 'resolve';
  const isUnknown =
    before !== undefined && !before.isResolved && !before.isTransient && wasNeverNotified(before.lastNotified);
  if (isResolved && isUnknown) return undefined;
  const lastNotified = before?.lastNotified === 'inhibited' ? undefined : before?.lastNotified;
  const isBack = event.silence_ended === true && lastNotified !== undefined;
  return {
    eventId: event.id,
    status: event.check.status,
    isResolved,
    isTransient: !isStored && !isResolved,
    lastNotified: isBack ? 'renotify' : lastNotified,
  };
}

/** Returns the last notification of an event that is known by two names: that of the first name, unless it has none. */
export function lastNotifiedOfEither(first: LastNotified, second: LastNotified): LastNotified {
  return wasNeverNotified(first) && !wasNeverNotified(second) ? second : first;
}

export function wasNeverNotified(lastNotified: LastNotified): boolean {
  return lastNotified === undefined || lastNotified === 'inhibited';
}

/** True if a notification of the event is pending, as far as that is known before the flush. */
export function hasPending(state: MemberState): boolean {
  return state.lastNotified !== 'inhibited' && changeOf(state) !== 'same';
}

/** Returns the change of an event since its last notification. */
export function changeOf({ isResolved, status, lastNotified }: MemberState): GroupChange {
  if (isResolved) return 'resolved';
  if (wasNeverNotified(lastNotified)) return 'new';
  return lastNotified === status ? 'same' : 'changed';
}
