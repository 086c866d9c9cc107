import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * A second implementation of idle silences: how long a silence has matched nothing. Written only from the specification
 * (idleness).
 */

/** The settings for idle silences, in seconds. */
export interface ModelIdleRules {
  readonly after: number;
  /** The time from the mark as idle to the end of the silence. */
  readonly expire: number;
}

export interface ModelIdleMark {
  readonly since: number;
  readonly at: number;
  readonly ends_at: number;
}

/** The idle state of a silence, in epoch seconds. */
export interface ModelIdleness {
  /** Time since when nothing matched; for a pending silence, its begin. */
  since: number;
  /** True if it was checked, or matched something, since it began. */
  isCounted: boolean;
  mark: ModelIdleMark | undefined;
}

/** Interval of the checks. */
const LOOK_MS = 60_000;

/**
 * Returns the first check at or after `ms`.
 *
 * @param startedMs start of the backend
 */
export function idleLookFrom(ms: number, startedMs: number): number {
  return startedMs + Math.max(1, Math.ceil((ms - startedMs) / LOOK_MS)) * LOOK_MS;
}

export function isIdleLook(nowMs: number, startedMs: number): boolean {
  return nowMs > startedMs && (nowMs - startedMs) % LOOK_MS === 0;
}

/**
 * Idleness 1 and 3: returns when a silence becomes idle without a match, in epoch milliseconds. Infinity if no
 * window is left.
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
