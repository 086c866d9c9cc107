import { GROUP_INTERVAL, GROUP_WAIT, REPEAT_INTERVAL } from '../../schemas/grouping.ts';
import type { RunningHandler } from '../../schemas/handler.ts';

/**
 * Interval between flushes of a group without pending notifications whose `repeat_interval` is 0. Such a flush sends
 * nothing and only removes events that are no longer open.
 */
const CLEANUP_INTERVAL_MS = 3_600_000;

/** The settings of a handler that decide when its groups are flushed, in milliseconds. */
export interface GroupIntervals {
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  /**
   * The time after which a group notification is repeated although no event has changed, provided that an event of the
   * group still fires; 0: never.
   */
  readonly repeatIntervalMs: number;
}

type IntervalSettings = Pick<RunningHandler, 'group_wait' | 'group_interval' | 'repeat_interval'>;

export function groupIntervals(handler: IntervalSettings): GroupIntervals {
  const { group_wait: wait, group_interval: interval, repeat_interval: repeat } = handler;
  return {
    groupWaitMs: (wait ?? GROUP_WAIT) * 1000,
    groupIntervalMs: (interval ?? GROUP_INTERVAL) * 1000,
    repeatIntervalMs: (repeat ?? Math.max(REPEAT_INTERVAL, interval ?? 0)) * 1000,
  };
}

/** Timestamps that decide when a group is flushed next, in epoch milliseconds. */
export interface FlushTimes {
  /**
   * The time since which a notification of the group is pending; undefined if none is pending. A flush that leaves a
   * notification pending sets this to the time of the flush.
   */
  readonly pendingSinceMs: number | undefined;
  /** The time of the last flush, whether or not it sent a notification; undefined if there was no flush yet. */
  readonly flushedAtMs: number | undefined;
  /** The time of the last notification of the group; undefined if there was none yet. */
  readonly notifiedAtMs: number | undefined;
}

/**
 * Returns the time of the next flush of a group in epoch milliseconds (grouping 2). A time in the past means that the
 * group is due now.
 */
export function nextFlushAtMs(
  { pendingSinceMs, flushedAtMs = 0, notifiedAtMs = flushedAtMs }: FlushTimes,
  intervals: GroupIntervals,
): number {
  const intervalEndMs = flushedAtMs + intervals.groupIntervalMs;
  if (pendingSinceMs !== undefined)
    return Math.max(pendingSinceMs + intervals.groupWaitMs, flushedAtMs === 0 ? 0 : intervalEndMs);
  return intervals.repeatIntervalMs === 0
    ? flushedAtMs + CLEANUP_INTERVAL_MS
    : Math.max(notifiedAtMs + intervals.repeatIntervalMs, intervalEndMs);
}

export function isRepeatDue(
  { notifiedAtMs }: FlushTimes,
  { repeatIntervalMs }: GroupIntervals,
  nowMs: number,
): boolean {
  return repeatIntervalMs > 0 && notifiedAtMs !== undefined && notifiedAtMs + repeatIntervalMs <= nowMs;
}
