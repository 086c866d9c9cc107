import type { GroupChange } from '../../schemas/grouping.ts';
import { countWithNoun } from '../count-text.ts';
import { formatDuration } from '../duration.ts';
import { formatGroupLabel, type GroupKey } from './group-key.ts';
import { nextFlushAtMs, type FlushTimes, type GroupIntervals } from './group-intervals.ts';
import type { LastNotifiedStatus } from './group-member.ts';

/** An event and its group, either in their current state or in the state after a simulated result. */
interface EventInGroup {
  readonly key: GroupKey;
  /** The flush times of the group; undefined if the group does not exist yet. */
  readonly times: FlushTimes | undefined;
  /** The number of other events in the group, without the events that a flush marked as inhibited. */
  readonly otherEventCount: number;
  /**
   * The change of the event since the last notification of the group that included it. Undefined if the problem
   * resolved before any notification, or if the event is not in the group.
   */
  readonly change: GroupChange | undefined;
}

/**
 * A prediction when a handler will be notified of an event with its group: a text for users, and the time of the flush
 * in epoch milliseconds. The time is undefined if it is unknown, or if no notification will follow.
 */
interface NotificationPrediction {
  readonly reason: string;
  readonly dueAtMs: number | undefined;
}

const INITIAL_FLUSH_TIMES: FlushTimes = { pendingSinceMs: undefined, flushedAtMs: undefined, notifiedAtMs: undefined };

/**
 * Predicts when a handler will be notified of an event with its group. The event must be neither silenced nor inhibited
 * (grouping 5).
 */
export function predictNotification(
  { key, times = INITIAL_FLUSH_TIMES, otherEventCount, change }: EventInGroup,
  intervals: GroupIntervals,
  nowMs: number,
): NotificationPrediction {
  const group = groupText(key, otherEventCount);
  if (change === undefined) {
    return {
      reason: `it resolved before the notification of ${group}, so no notification is sent`,
      dueAtMs: undefined,
    };
  }
  const isUnchanged = change === 'same';
  const dueAtMs = nextFlushAtMs(
    isUnchanged ? times : { ...times, pendingSinceMs: times.pendingSinceMs ?? nowMs },
    intervals,
  );
  const wait = formatDuration(Math.max(0, Math.ceil((dueAtMs - nowMs) / 1000)));
  if (!isUnchanged) return { reason: `it is pending in ${group}, which is notified in ${wait}`, dueAtMs: dueAtMs };
  if (times.pendingSinceMs !== undefined) {
    return { reason: `${group} was notified of it; the next notification is in ${wait}`, dueAtMs: dueAtMs };
  }
  if (intervals.repeatIntervalMs === 0) {
    return { reason: `${group} was notified of it and is notified again when something changes`, dueAtMs: undefined };
  }
  return { reason: `${group} was notified of it and is notified again in ${wait}`, dueAtMs: dueAtMs };
}

/**
 * Predicts when a handler will be notified of an inhibited event with its group. The caller appends the returned text
 * to the reason of the inhibition.
 *
 * @param lastNotified the record of the last notification of the event; `apart` if the event is not in the group
 */
export function predictNotificationWhileInhibited(
  { key, times = INITIAL_FLUSH_TIMES, otherEventCount, change }: EventInGroup,
  lastNotified: LastNotifiedStatus | 'apart',
  intervals: GroupIntervals,
  nowMs: number,
): NotificationPrediction {
  const group = groupText(key, otherEventCount);
  if (lastNotified === 'apart') return predictionWithoutTime(`after that its next result is pending in ${group}`);
  if (lastNotified === 'inhibited') return predictionWithoutTime(skippedText(group));
  if (change === 'same') return predictionWithoutTime(notifiedText(group));
  if (lastNotified !== undefined) return predictionWithoutTime(pendingText(group));
  const dueMs = nextFlushAtMs({ ...times, pendingSinceMs: times.pendingSinceMs ?? nowMs }, intervals);
  const wait = formatDuration(Math.max(0, Math.ceil((dueMs - nowMs) / 1000)));
  return {
    reason: `it is pending in ${group}, which is flushed in ${wait} without it if the inhibition lasts`,
    dueAtMs: dueMs,
  };
}

/**
 * Predicts when a handler will be notified of a silenced event with its group. The caller appends the returned text to
 * the reason of the silence.
 */
export function predictNotificationWhileSilenced(
  { key, otherEventCount, change }: EventInGroup,
  lastNotified: LastNotifiedStatus,
): NotificationPrediction {
  const group = groupText(key, otherEventCount);
  if (lastNotified === 'inhibited') return predictionWithoutTime(skippedText(group));
  if (change === 'same') return predictionWithoutTime(notifiedText(group));
  return predictionWithoutTime(pendingText(group));
}

function skippedText(group: string): string {
  return `${group} was flushed without it; it is notified with the next result after that`;
}

function notifiedText(group: string): string {
  return `${group} was notified of it; no more notifications until then`;
}

function pendingText(group: string): string {
  return `it is pending in ${group} and is notified at a flush after that`;
}

function predictionWithoutTime(reason: string): NotificationPrediction {
  return { reason, dueAtMs: undefined };
}

/**
 * Returns the text for users that says why a handler is not yet notified of an event whose inhibition has ended. The
 * event was inhibited at a flush of its group, so the group waits for the next result of the event.
 */
export function inhibitedAtFlushReason(key: GroupKey, otherEventCount: number): string {
  return `it was inhibited at the last flush of ${groupText(key, otherEventCount)}; it is notified with its next result`;
}

function groupText({ by }: GroupKey, otherEventCount: number): string {
  return `its group ${formatGroupLabel(by)} (${countWithNoun(otherEventCount + 1, 'event')})`;
}
