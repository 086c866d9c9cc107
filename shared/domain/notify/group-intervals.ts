import { GROUP_INTERVAL, GROUP_WAIT, REPEAT_INTERVAL } from '../../schemas/grouping.ts';
import type { RunningHandler } from '../../schemas/handler.ts';

/** Interval at which a group that never repeats is checked for events that are gone. */
const SWEEP_MS = 3_600_000;

/** The intervals of the flushes of a group. */
export interface GroupIntervals {
  readonly waitMs: number;
  readonly intervalMs: number;
  /** Interval of repeats; 0: never. */
  readonly repeatMs: number;
}

type Intervals = Pick<RunningHandler, 'group_wait' | 'group_interval' | 'repeat_interval'>;

export function groupIntervals(handler: Intervals): GroupIntervals {
  const { group_wait: wait, group_interval: interval, repeat_interval: repeat } = handler;
  return {
    waitMs: (wait ?? GROUP_WAIT) * 1000,
    intervalMs: (interval ?? GROUP_INTERVAL) * 1000,
    repeatMs: (repeat ?? Math.max(REPEAT_INTERVAL, interval ?? 0)) * 1000,
  };
}

/** Timestamps that decide when a group is flushed next, in epoch milliseconds. */
export interface FlushTimes {
  /** Time since which a notification is pending; undefined if none is. */
  readonly pendingSinceMs: number | undefined;
  /** The last flush, whether or not it sent a notification; undefined if there was none. */
  readonly flushedAtMs: number | undefined;
  /** The last notification; undefined if there was none. */
  readonly notifiedAtMs: number | undefined;
}

/** Returns when a group is flushed next (grouping 2). */
export function dueAtMs(
  { pendingSinceMs, flushedAtMs = 0, notifiedAtMs = flushedAtMs }: FlushTimes,
  times: GroupIntervals,
): number {
  const restedMs = flushedAtMs + times.intervalMs;
  if (pendingSinceMs !== undefined) return Math.max(pendingSinceMs + times.waitMs, flushedAtMs === 0 ? 0 : restedMs);
  return times.repeatMs === 0 ? flushedAtMs + SWEEP_MS : Math.max(notifiedAtMs + times.repeatMs, restedMs);
}

export function isRepeatDue({ notifiedAtMs }: FlushTimes, { repeatMs }: GroupIntervals, nowMs: number): boolean {
  return repeatMs > 0 && notifiedAtMs !== undefined && notifiedAtMs + repeatMs <= nowMs;
}
