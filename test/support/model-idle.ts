import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * A second implementation of idle silences for comparison: for how long a silence has matched no event. It is written
 * only from the specification (idleness).
 */

/** The settings for idle silences in seconds. */
export interface ModelIdleRules {
  readonly after: number;
  /** Time between the mark as idle and the end of the silence. */
  readonly expire: number;
}

export interface ModelIdleMark {
  readonly since: number;
  readonly at: number;
  readonly ends_at: number;
}

/** The idleness of a silence; all times are epoch seconds. */
export interface ModelIdleness {
  /** Time since when the silence has matched no event; the begin of a silence that is still pending. */
  since: number;
  /** True if the silence was checked, or has matched an event, since it began. */
  isCounted: boolean;
  mark: ModelIdleMark | undefined;
}

/** Interval in milliseconds at which a backend checks for idle silences. */
const LOOK_MS = 60_000;

/**
 * Returns the time of the first idleness check at or after `ms`; both are epoch milliseconds.
 *
 * @param startedMs start of the backend in epoch milliseconds
 */
export function idleLookFrom(ms: number, startedMs: number): number {
  return startedMs + Math.max(1, Math.ceil((ms - startedMs) / LOOK_MS)) * LOOK_MS;
}

export function isIdleLook(nowMs: number, startedMs: number): boolean {
  return nowMs > startedMs && (nowMs - startedMs) % LOOK_MS === 0;
}

/**
 * Returns when a silence that matches no event becomes idle, in epoch milliseconds; `Infinity` if a recurring silence
 * has no further window (idleness 1 and 3).
 */
export function idleDueAt(
  { since }: ModelIdleness,
  recurrence: ModelRecurrence | undefined,
  { after }: ModelIdleRules,
): number {
  if (recurrence === undefined) return (since + after) * 1000;
  const window = firstWholeWindow(recurrence, since * 1000);
  return window === undefined ? Infinity : Math.max(window.beginMs + after * 1000, window.endMs);
}

function firstWholeWindow(recurrence: ModelRecurrence, sinceMs: number): ReturnType<typeof windowAt> {
  const window = windowAt(recurrence, sinceMs);
  return window !== undefined && window.beginMs < sinceMs ? windowAt(recurrence, window.endMs) : window;
}
