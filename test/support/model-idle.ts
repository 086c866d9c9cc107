import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * How long silences match nothing, once more, from the specification (idleness) and from nothing else.
 */

/** Settings, in seconds. */
export interface ModelIdleRules {
  readonly after: number;
  /** From the mark on. */
  readonly expire: number;
}

export interface ModelIdleMark {
  readonly since: number;
  readonly at: number;
  readonly ends_at: number;
}

/** Epoch seconds of a silence. */
export interface ModelIdleness {
  /** From when on nothing matched: of one that has not begun, from its begin. */
  since: number;
  /** Whether it was looked at, or matched something, since it began. */
  isCounted: boolean;
  mark: ModelIdleMark | undefined;
}

/** How often it is looked after. */
const LOOK_MS = 60_000;

/** The first look that is not before `ms`. @param startedMs when the backend was started */
export function idleLookFrom(ms: number, startedMs: number): number {
  return startedMs + Math.max(1, Math.ceil((ms - startedMs) / LOOK_MS)) * LOOK_MS;
}

export function isIdleLook(nowMs: number, startedMs: number): boolean {
  return nowMs > startedMs && (nowMs - startedMs) % LOOK_MS === 0;
}

/** Idleness 1 and 3, epoch milliseconds: when it is idle unless something matches. Infinity: no window of it is left. */
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
