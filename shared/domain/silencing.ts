import type { SilencedRow } from '../schemas/feed.ts';
import type { SubmittedRecurrence } from '../schemas/recurrence.ts';
import type { SilencedEntry, SilencedTargetParts, SilencedView } from '../schemas/silenced.ts';
import { familiesOf } from './check-family.ts';
import type { EventState } from './event.ts';
import { fingerprintOf } from './fingerprint.ts';
import { endAfter, expireAtOf, isExpired, secondsLeft } from './expiry.ts';
import { nextWindow, recurrenceOf } from './recurrence.ts';

/** The id of an entry, with `*` for a missing part (reference 2.1). */
export function silencedId(subscription: string | null | undefined, check: string | null | undefined): string {
  return `${subscription ?? '*'}:${check ?? '*'}`;
}

const SELECTOR_ID = 'selector-';

/** The id of an entry with a selector: that of no two parts, which have a colon between them (silencing 2). */
export function selectorId(selector: string): string {
  return SELECTOR_ID + fingerprintOf({ selector });
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Whether an id is that of an entry with a selector. */
export function isSelectorId(id: string): boolean {
  return /^selector-[\da-f]{16}$/.test(id) || UUID.test(id);
}

/** The id of an entry that comes back. Silences of Alertmanager keep theirs: several may have the same matchers. */
export function entryId(entry: SilencedTargetParts & { readonly id?: unknown }): string {
  const { id, selector } = entry;
  return typeof id === 'string' && UUID.test(id) && selector?.startsWith('{') === true ? id : targetId(entry);
}

/** The id of the entry that is meant. */
export function targetId({ subscription, check, selector }: SilencedTargetParts): string {
  return selector === null || selector === undefined ? silencedId(subscription, check) : selectorId(selector.trim());
}

/** What a request for a silenced entry says, after validation; `null` and absent mean the same. */
export interface SilencedRequest extends SilencedTargetParts {
  readonly reason?: string | null | undefined;
  readonly creator?: string | null | undefined;
  /** Epoch seconds. */
  readonly begin?: number | null | undefined;
  /** Seconds, -1 for ever. */
  readonly expire?: number | null | undefined;
  readonly expire_on_resolve?: boolean | null | undefined;
  /** Without a begin and an end of its own. */
  readonly recurrence?: SubmittedRecurrence | null | undefined;
}

/**
 * The entry that a request makes. The lifetime counts from `begin` when that lies ahead (completion 1.2), and its end
 * is an absolute time, so that nothing but a new request can move it.
 */
export function silencedEntry(request: SilencedRequest, nowMs: number): SilencedEntry {
  const begin = request.begin ?? null;
  const startMs = begin === null ? nowMs : Math.max(nowMs, begin * 1000);
  const selector = request.selector?.trim();
  const recurrence = request.recurrence ? recurrenceOf(request.recurrence) : undefined;
  const entry: SilencedEntry = {
    id: targetId(request),
    subscription: request.subscription ?? null,
    check: request.check ?? null,
    reason: request.reason ?? null,
    creator: request.creator ?? null,
    begin,
    expireAtMs: endAfter(request.expire, startMs),
    expire_on_resolve: request.expire_on_resolve ?? false,
    timestamp: Math.floor(nowMs / 1000),
    ...(selector !== undefined && { selector }),
  };
  return recurrence === undefined ? entry : inOwnWindow({ ...entry, recurrence }, nowMs);
}

/** The end of an entry that recurs and whose windows are not worked out yet. */
const OVER = 0;

/**
 * An entry that comes from outside: one that recurs is in force when its schedule says so, whatever begin and end were sent with
 * it; over, where no window lies ahead.
 */
export function inOwnWindow(entry: SilencedEntry, nowMs: number): SilencedEntry {
  if (entry.recurrence === undefined) return entry;
  const own = inWindowAt({ ...entry, expireAtMs: OVER, expire_on_resolve: false }, nowMs);
  return withReminderOf(own, entry);
}

/** Returns an entry with the reminder that was sent for another entry with the same end (spec, reminder 1). */
export function withReminderOf(
  entry: SilencedEntry,
  { expireAtMs, reminder_sent }: Pick<SilencedEntry, 'expireAtMs' | 'reminder_sent'>,
): SilencedEntry {
  return reminder_sent === undefined || entry.expireAtMs !== expireAtMs ? entry : { ...entry, reminder_sent };
}

const inWindows = new WeakMap<SilencedEntry, SilencedEntry>();

/**
 * The entry as it is at a moment: one that recurs has begin and end of the window that is in force or comes next, also where
 * the one that it was kept with is over and nobody has written that yet. One without a further window stays as it was: expired.
 */
export function entryAt(entry: SilencedEntry, nowMs: number): SilencedEntry {
  if (entry.recurrence === undefined || !isExpired(entry, nowMs)) return entry;
  const known = inWindows.get(entry);
  if (known !== undefined && !isExpired(known, nowMs)) return known;
  const next = inWindowAt(entry, nowMs);
  inWindows.set(entry, next);
  return next;
}

function inWindowAt(entry: SilencedEntry, nowMs: number): SilencedEntry {
  const { recurrence, reminder_sent: _ofItsLastEnd, ...rest } = entry;
  const window = recurrence === undefined ? undefined : nextWindow(recurrence, nowMs);
  if (recurrence === undefined || window === undefined) return entry;
  return { ...rest, begin: window.beginMs / 1000, expireAtMs: window.endMs, recurrence };
}

/** Whether the entry is over for good at a moment. */
export function isOver(entry: SilencedEntry, nowMs: number): boolean {
  return isExpired(entryAt(entry, nowMs), nowMs);
}

/** Whether the entry silences now: begun and not expired (completion 1.2). */
export function isActive(entry: SilencedEntry, nowMs: number): boolean {
  const { begin, expireAtMs } = entryAt(entry, nowMs);
  return !isExpired({ expireAtMs }, nowMs) && (begin === null || begin * 1000 <= nowMs);
}

/** What is wrong with putting an entry in the place of one that recurs: it would be lost by an order that knows nothing of it. */
export function replacementProblem(before: SilencedEntry | undefined, after: SilencedEntry): string | undefined {
  if (before?.recurrence === undefined || after.recurrence !== undefined) return undefined;
  return `${before.id} recurs (${before.recurrence.schedule}): clear it first, or silence the same events by a selector`;
}

/** The entry as the API shows it. */
export function silencedView(entry: SilencedEntry, nowMs: number): SilencedView {
  return {
    id: entry.id,
    subscription: entry.subscription,
    check: entry.check,
    reason: entry.reason,
    creator: entry.creator,
    begin: entry.begin,
    expire_on_resolve: entry.expire_on_resolve,
    timestamp: entry.timestamp,
    expire: secondsLeft(entry, nowMs),
  };
}

/** The entry as feed, bulk and audit trail have it: all of it, with its end in seconds. */
export function silencedRow({ expireAtMs, ...entry }: SilencedEntry): SilencedRow {
  return { ...entry, expire_at: expireAtOf({ expireAtMs }) };
}

/** Where entries are found by their two parts. */
export interface SilencedIndex {
  /** Undefined when no entry names this subscription at all: the usual case costs one look-up. */
  bySubscription(subscription: string): SilencedOfSubscription | undefined;
  /** The entry `*:<check>`. */
  byCheck(check: string): SilencedEntry | undefined;
}

export interface SilencedOfSubscription {
  readonly all: SilencedEntry | undefined;
  readonly byCheck: ReadonlyMap<string, SilencedEntry>;
}

/**
 * The entries that name an event: for each subscription of its client `s:*` then `s:<check>`, at last `*:<check>`
 * (completion 1.3), and behind each of both those of what the check is one of several of (prometheus 1.6). Exact names only.
 * Includes entries that have not begun or have expired.
 *
 * @param selected those whose selector matches the event; they come last
 */
export function* matchingEntries(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  selected: readonly SilencedEntry[] = NONE,
): Generator<SilencedEntry, void, undefined> {
  const families = familiesOf(check);
  for (const subscription of subscriptions) {
    const entries = index.bySubscription(subscription);
    if (entries === undefined) continue;
    if (entries.all !== undefined) yield entries.all;
    const entry = entries.byCheck.get(check);
    if (entry !== undefined) yield entry;
    for (const family of families) {
      const wider = entries.byCheck.get(family);
      if (wider !== undefined) yield wider;
    }
  }
  const entry = index.byCheck(check);
  if (entry !== undefined) yield entry;
  for (const family of families) {
    const wider = index.byCheck(family);
    if (wider !== undefined) yield wider;
  }
  if (selected.length > 0) yield* selected;
}

const NONE: readonly SilencedEntry[] = [];

/** Whether `matchingEntries` finds none, in a fraction of its time: so it is for nearly every event. */
function isUnnamed(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  selected: readonly SilencedEntry[] = NONE,
): boolean {
  if (selected.length > 0 || index.byCheck(check) !== undefined) return false;
  for (const subscription of subscriptions) if (index.bySubscription(subscription) !== undefined) return false;
  return familiesOf(check).every((family) => index.byCheck(family) === undefined);
}

/** Ids of the entries that silence an event now, in the order of `matchingEntries`. */
export function silencedBy(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  nowMs: number,
  selected?: readonly SilencedEntry[],
): string[] {
  const ids: string[] = [];
  if (isUnnamed(index, subscriptions, check, selected)) return ids;
  for (const entry of matchingEntries(index, subscriptions, check, selected))
    if (isActive(entry, nowMs)) ids.push(entry.id);
  return ids;
}

/** Whether silences are looked up for an event at all: a result that is OK and resolves nothing has none (completion 1.3). */
export function canBeSilenced({ status, action }: Pick<EventState, 'status' | 'action'>): boolean {
  return status !== 0 || action !== 'create';
}

/** Whether anything silences an event now. */
export function isSilenced(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  nowMs: number,
  selected?: readonly SilencedEntry[],
): boolean {
  if (isUnnamed(index, subscriptions, check, selected)) return false;
  for (const entry of matchingEntries(index, subscriptions, check, selected)) if (isActive(entry, nowMs)) return true;
  return false;
}

/**
 * The entries that a resolution of this event ends: `expire_on_resolve`, and begun, so that a planned window does not
 * vanish before it starts (completion 1.3.5).
 */
export function entriesEndedByResolve(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  nowMs: number,
  selected?: readonly SilencedEntry[],
): SilencedEntry[] {
  const ended: SilencedEntry[] = [];
  for (const entry of matchingEntries(index, subscriptions, check, selected)) {
    if (entry.expire_on_resolve && isActive(entry, nowMs)) ended.push(entry);
  }
  return ended;
}
