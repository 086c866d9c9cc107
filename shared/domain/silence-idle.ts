import type { Recurrence } from '../schemas/recurrence.ts';
import type { StoredSilenceCounters, SilencedEntry, SilenceIdle } from '../schemas/silenced.ts';
import { nextWindow, type RecurringWindow } from './recurrence.ts';
import { isActive, isExpiredForGood } from './silencing.ts';

/**
 * Settings for idle silences: a silence that matches no event is marked as idle after `afterSeconds`, and ended
 * `expireSeconds` later (spec, idleness 1 and 4). With 0, this never happens.
 */
export interface IdleRules {
  readonly afterSeconds: number;
  /** Seconds after which a silence ends that was marked as idle (matches no event). */
  readonly expireSeconds: number;
}

/** Data about a silence that is not stored in it: its match counters, and whether it matches an open event. */
export interface IdleFacts {
  readonly use: StoredSilenceCounters | undefined;
  /** Callback that says whether the silence matches an open event. It is expensive, so it is called only if needed. */
  readonly covers: () => boolean;
}

/** The next action for a silence in the detection of idle silences (those that match no event for a long time). */
export type IdleStep =
  | { readonly kind: 'none' }
  /** Starts to measure the time without a match, from this epoch second on. */
  | { readonly kind: 'count'; readonly since: number }
  /** Records that the silence matches an open event now. */
  | { readonly kind: 'match' }
  /** Marks the silence as idle. */
  | { readonly kind: 'idle'; readonly idle: SilenceIdle }
  /** Removes the mark as idle although no event matched, because the rules no longer require it. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'end'; readonly idle: SilenceIdle };

const NO_STEP: IdleStep = { kind: 'none' };

/**
 * Maximum age in seconds at which a silence counts as new. For a new silence, the time without a match is measured from
 * its begin. For an older one it is measured from now, because earlier matches are unknown.
 */
const NEW_SECONDS = 120;

/** Decides from the matches of a silence so far whether it is marked as idle or ended (spec, idleness). */
export function idleStep(entry: SilencedEntry, facts: IdleFacts, rules: IdleRules, nowMs: number): IdleStep {
  const { idle } = entry;
  const unmarked: IdleStep = idle === undefined ? NO_STEP : { kind: 'wake' };
  // A maintenance silence is never idle, because it lasts as long as its command runs.
  if (rules.afterSeconds === 0 || entry.run !== undefined || isExpiredForGood(entry, nowMs)) return unmarked;
  const began = beginOf(entry);
  if (began * 1000 > nowMs) return unmarked;
  const since = facts.use?.unmatched_since;
  if (since === undefined) return { kind: 'count', since: firstCounted(began, nowMs) };
  const dueMs = idleFromMs(entry, since, rules);
  if (dueMs === undefined || nowMs < dueMs) return unmarked;
  if (isActive(entry, nowMs) && facts.covers()) return { kind: 'match' };
  const mark = markOf(idle?.at ?? Math.floor(nowMs / 1000), since, rules);
  if (idle !== undefined && mark.ends_at !== undefined && mark.ends_at * 1000 <= nowMs) {
    return { kind: 'end', idle: mark };
  }
  return isSameMark(idle, mark) ? NO_STEP : { kind: 'idle', idle: mark };
}

/**
 * Returns when a silence becomes idle, unless it matches an event before. For a recurring silence the time is measured
 * from the begin of its next complete window, and that window must have ended.
 *
 * @param since epoch seconds of the last match, or else of the start of the measurement
 * @returns epoch milliseconds; undefined if no further window exists
 */
function idleFromMs(
  { recurrence }: Pick<SilencedEntry, 'recurrence'>,
  since: number,
  { afterSeconds }: IdleRules,
): number | undefined {
  if (recurrence === undefined) return (since + afterSeconds) * 1000;
  const window = nextFullWindow(recurrence, since * 1000);
  return window && Math.max(window.beginMs + afterSeconds * 1000, window.endMs);
}

/**
 * Whether a match of a silence is recorded, so that its time without a match starts again.
 *
 * @param since epoch seconds of the last match or of the start of the measurement; undefined if it has not started
 * @param now epoch seconds
 */
export function isCounted(entry: SilencedEntry | undefined, since: number | undefined, now: number): boolean {
  // Matches of a new silence are recorded even before the silence is evaluated for the first time.
  return since !== undefined || (entry !== undefined && entry.run === undefined && isNew(beginOf(entry), now));
}

/** Returns the reason for ending an idle silence, for the audit trail and the timeline. */
export function idleReason({ since, at }: SilenceIdle): string {
  return `idle: no event matched since ${isoSeconds(since)}, marked ${isoSeconds(at)}`;
}

function isoSeconds(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Returns the epoch second from which on the silence can match events. */
function beginOf({ begin, timestamp, recurrence }: SilencedEntry): number {
  return recurrence === undefined ? Math.max(begin ?? 0, timestamp) : timestamp;
}

function firstCounted(began: number, nowMs: number): number {
  const now = Math.floor(nowMs / 1000);
  return isNew(began, now) ? began : now;
}

function isNew(began: number, now: number): boolean {
  return now - began <= NEW_SECONDS;
}

function markOf(at: number, since: number, { expireSeconds }: IdleRules): SilenceIdle {
  return expireSeconds === 0 ? { since, at } : { since, at, ends_at: at + expireSeconds };
}

function isSameMark(a: SilenceIdle | undefined, b: SilenceIdle): boolean {
  return a !== undefined && a.since === b.since && a.ends_at === b.ends_at;
}

const fullWindows = new WeakMap<Recurrence, { readonly sinceMs: number; readonly window?: RecurringWindow }>();

/**
 * Returns the first window of a recurrence that begins at or after `sinceMs`. The result is cached, because every
 * evaluation needs it.
 */
function nextFullWindow(recurrence: Recurrence, sinceMs: number): RecurringWindow | undefined {
  const cachedWindow = fullWindows.get(recurrence);
  if (cachedWindow?.sinceMs === sinceMs) return cachedWindow.window;
  const first = nextWindow(recurrence, sinceMs);
  const isFull = first === undefined || first.beginMs >= sinceMs;
  const window = isFull ? first : nextWindow(recurrence, first.endMs);
  fullWindows.set(recurrence, { sinceMs, ...(window !== undefined && { window }) });
  return window;
}
