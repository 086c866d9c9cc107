import { formatDuration } from '../../shared/domain/duration.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';

/* Texts about groups. A group consists of the events that a handler gets in one notification. */

export const NO_GROUP_TEXT = 'No groups: no grouped notification is pending or firing.';

/** Returns when a group was last notified: `4m ago`, `never`. */
export function notifiedText({ notified_at: at }: Pick<GroupRow, 'notified_at'>, nowMs: number): string {
  return at === null ? 'never' : `${formatDuration(Math.max(0, nowMs / 1000 - at), 1)} ago`;
}

/**
 * Returns the time until a group is flushed next, or, if no notification is pending, until its notification is
 * repeated.
 */
export function nextFlushText({ pending, due_at: at }: Pick<GroupRow, 'pending' | 'due_at'>, nowMs: number): string {
  const seconds = at - nowMs / 1000;
  if (pending > 0) return seconds > 0 ? `waits ${formatDuration(seconds, 2)}` : 'now';
  return `repeats in ${formatDuration(Math.max(0, seconds), 2)}`;
}

/**
 * Compares groups for sorting. Groups with pending notifications come before groups that only repeat a notification;
 * then the earliest time comes first.
 */
export function compareByNextFlush(a: GroupRow, b: GroupRow): number {
  return Number(b.pending > 0) - Number(a.pending > 0) || a.due_at - b.due_at;
}
