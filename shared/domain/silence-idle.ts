import type { Recurrence } from '../schemas/recurrence.ts';
import type { KeptUse, SilencedEntry, SilenceIdle } from '../schemas/silenced.ts';
import { nextWindow, type RecurringWindow } from './recurrence.ts';
import { isActive, isOver } from './silencing.ts';

/** When silences that match nothing are marked and ended, in seconds; 0: never (spec, idleness 1 and 4). */
export interface IdleRules {
  readonly afterSeconds: number;
  /** From the mark on. */
  readonly expireSeconds: number;
}

/** What is known of an entry beside itself. */
export interface IdleFacts {
  readonly use: KeptUse | undefined;
  /** Whether an event is open that it names or finds; asked only where it matters. */
  readonly covers: () => boolean;
}

/** What is to be done with an entry now. */
export type IdleStep =
  | { readonly kind: 'none' }
  /** From then on, epoch seconds, it is counted how long it matches nothing. */
  | { readonly kind: 'count'; readonly since: number }
  /** It matches something now. */
  | { readonly kind: 'match' }
  /** It bears this mark from here on. */
  | { readonly kind: 'idle'; readonly idle: SilenceIdle }
  /** It bears no mark any more, although nothing matched. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'end'; readonly idle: SilenceIdle };

const NONE: IdleStep = { kind: 'none' };

/** An entry that began no longer ago counts from its begin; of another one nobody looked at what it matched before. */
const NEW_SECONDS = 120;

/** What follows for an entry, as it is at this moment, from what it matched so far (spec, idleness). */
export function idleStep(entry: SilencedEntry, facts: IdleFacts, rules: IdleRules, nowMs: number): IdleStep {
  const { idle } = entry;
  const unmarked: IdleStep = idle === undefined ? NONE : { kind: 'wake' };
  // One that a command holds is there for as long as the command runs, whatever it matches.
  if (rules.afterSeconds === 0 || entry.run !== undefined || isOver(entry, nowMs)) return unmarked;
  const began = beginOf(entry);
  if (began * 1000 > nowMs) return unmarked;
  const since = facts.use?.unmatched_since;
  if (since === undefined) return { kind: 'count', since: firstCounted(began, nowMs) };
  const dueMs = idleAt(entry, since, rules);
  if (dueMs === undefined || nowMs < dueMs) return unmarked;
  if (isActive(entry, nowMs) && facts.covers()) return { kind: 'match' };
  const mark = markOf(idle?.at ?? Math.floor(nowMs / 1000), since, rules);
  if (idle !== undefined && mark.ends_at !== undefined && mark.ends_at * 1000 <= nowMs) {
    return { kind: 'end', idle: mark };
  }
  return isSameMark(idle, mark) ? NONE : { kind: 'idle', idle: mark };
}

/**
 * When an entry is idle unless something matches it before. Of one that recurs only windows count, and at least one has
 * to have gone by from its first to its last moment.
 *
 * @param since epoch seconds from which it matched nothing
 * @returns epoch milliseconds; undefined: it has no window any more
 */
function idleAt(
  { recurrence }: Pick<SilencedEntry, 'recurrence'>,
  since: number,
  { afterSeconds }: IdleRules,
): number | undefined {
  if (recurrence === undefined) return (since + afterSeconds) * 1000;
  const window = wholeWindow(recurrence, since * 1000);
  return window && Math.max(window.beginMs + afterSeconds * 1000, window.endMs);
}

/**
 * Whether it is counted from a match on how long an entry matches nothing.
 *
 * @param since epoch seconds from which it matched nothing; undefined: nobody counts yet
 * @param now epoch seconds
 */
export function isCounted(entry: SilencedEntry | undefined, since: number | undefined, now: number): boolean {
  // What matches a new one before it is looked at for the first time must not be forgotten by then.
  return since !== undefined || (entry !== undefined && entry.run === undefined && isNew(beginOf(entry), now));
}

/** Why an entry is ended that was idle for too long, for the audit trail and the timeline. */
export function idleReason({ since, at }: SilenceIdle): string {
  return `idle: nothing matched since ${moment(since)}, marked ${moment(at)}`;
}

function moment(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Epoch seconds from which it may match anything. */
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

const wholeWindows = new WeakMap<Recurrence, { readonly sinceMs: number; readonly window?: RecurringWindow }>();

/** The first window that begins at or after a moment; remembered, because it is asked for again and again. */
function wholeWindow(recurrence: Recurrence, sinceMs: number): RecurringWindow | undefined {
  const known = wholeWindows.get(recurrence);
  if (known?.sinceMs === sinceMs) return known.window;
  const first = nextWindow(recurrence, sinceMs);
  const isWhole = first === undefined || first.beginMs >= sinceMs;
  const window = isWhole ? first : nextWindow(recurrence, first.endMs);
  wholeWindows.set(recurrence, { sinceMs, ...(window !== undefined && { window }) });
  return window;
}
