import type { SilencedRow } from '../schemas/feed.ts';
import type { SubmittedRecurrence } from '../schemas/recurrence.ts';
import type { SilencedEntry, SilencedTargetAttributes, SilencedView } from '../schemas/silenced.ts';
import { familiesOf } from './check-family.ts';
import type { EventState } from './event.ts';
import { fingerprintOf } from './fingerprint.ts';
import { expireAtMsOf, expireAtOf, isExpired, secondsLeft } from './expiry.ts';
import { nextWindow, recurrenceOf } from './recurrence.ts';

/** Returns the id of a silence of a subscription, a check or both: `SUBSCRIPTION:CHECK`, with `*` for a missing one. */
export function silencedId(subscription: string | null | undefined, check: string | null | undefined): string {
  return `${subscription ?? '*'}:${check ?? '*'}`;
}

const SELECTOR_ID = 'selector-';

/**
 * Returns the id of a silence with a selector. It contains no colon, so it differs from the ids of silences without a
 * selector (silencing 2).
 */
export function selectorId(selector: string): string {
  return SELECTOR_ID + fingerprintOf({ selector });
}

const UUID_FORMAT = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** Whether an id belongs to a silence with a selector, including silences that were created by the Alertmanager API. */
export function isSelectorId(id: string): boolean {
  return /^selector-[\da-f]{16}$/.test(id) || UUID_FORMAT.test(id);
}

/**
 * Returns the id of a silence that is restored or replicated. Silences from the Alertmanager API keep their ids, as
 * several of them can have the same matchers.
 */
export function entryId(entry: SilencedTargetAttributes & { readonly id?: unknown }): string {
  const { id, selector } = entry;
  return typeof id === 'string' && UUID_FORMAT.test(id) && selector?.startsWith('{') === true ? id : targetId(entry);
}

/** Returns the id of a silence with this target: a selector, or a subscription and a check. */
export function targetId({ subscription, check, selector }: SilencedTargetAttributes): string {
  return selector === null || selector === undefined ? silencedId(subscription, check) : selectorId(selector.trim());
}

/** A validated request for a silence. An attribute that is null has the same meaning as an absent one. */
export interface SilencedRequest extends SilencedTargetAttributes {
  readonly reason?: string | null | undefined;
  readonly creator?: string | null | undefined;
  /** Epoch seconds. */
  readonly begin?: number | null | undefined;
  /** Lifetime in seconds; -1 if unlimited. */
  readonly expire?: number | null | undefined;
  readonly expire_on_resolve?: boolean | null | undefined;
  /** Recurrence of the silence; not allowed together with `begin` or an end. */
  readonly recurrence?: SubmittedRecurrence | null | undefined;
}

/**
 * Returns the silence that a request creates. Its lifetime is measured from `begin` if that is in the future, otherwise
 * from now (completion 1.2). It is stored with an absolute end, which only a new request can change.
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
    expireAtMs: expireAtMsOf(request.expire, startMs),
    expire_on_resolve: request.expire_on_resolve ?? false,
    timestamp: Math.floor(nowMs / 1000),
    ...(selector !== undefined && { selector }),
  };
  return recurrence === undefined ? entry : withCurrentWindow({ ...entry, recurrence }, nowMs);
}

/** The `expireAtMs` of a recurring silence before its window is computed. With it, the silence counts as expired. */
const EXPIRED_AT_MS = 0;

/**
 * Sets begin and end of a recurring silence to those of its active or next window, whatever they were before; for
 * example after an import. If there is no such window, the silence is expired.
 */
export function withCurrentWindow(entry: SilencedEntry, nowMs: number): SilencedEntry {
  if (entry.recurrence === undefined) return entry;
  const own = setWindow({ ...entry, expireAtMs: EXPIRED_AT_MS, expire_on_resolve: false }, nowMs);
  return copyReminder(own, entry);
}

/**
 * Copies `reminder_sent` to a silence from its earlier version if both have the same end, so that the reminder is not
 * sent twice (spec, reminder 1).
 */
export function copyReminder(
  entry: SilencedEntry,
  { expireAtMs, reminder_sent }: Pick<SilencedEntry, 'expireAtMs' | 'reminder_sent'>,
): SilencedEntry {
  return reminder_sent === undefined || entry.expireAtMs !== expireAtMs ? entry : { ...entry, reminder_sent };
}

const currentWindowCache = new WeakMap<SilencedEntry, SilencedEntry>();

/**
 * Returns a silence with its begin and end at a time. If the stored window of a recurring silence has ended, they are
 * those of its active or next window. If no window follows, the silence remains expired.
 */
export function toCurrentWindow(entry: SilencedEntry, nowMs: number): SilencedEntry {
  if (entry.recurrence === undefined || !isExpired(entry, nowMs)) return entry;
  const cachedEntry = currentWindowCache.get(entry);
  if (cachedEntry !== undefined && !isExpired(cachedEntry, nowMs)) return cachedEntry;
  const next = setWindow(entry, nowMs);
  currentWindowCache.set(entry, next);
  return next;
}

function setWindow(entry: SilencedEntry, nowMs: number): SilencedEntry {
  const { recurrence, reminder_sent: _ofItsLastEnd, ...attributes } = entry;
  const window = recurrence === undefined ? undefined : nextWindow(recurrence, nowMs);
  if (recurrence === undefined || window === undefined) return entry;
  return { ...attributes, begin: window.beginMs / 1000, expireAtMs: window.endMs, recurrence };
}

/** Whether a silence has expired at a time and, if it is a recurring one, has no further window. */
export function isExpiredForGood(entry: SilencedEntry, nowMs: number): boolean {
  return isExpired(toCurrentWindow(entry, nowMs), nowMs);
}

/** Whether a silence is active: begun and not expired (completion 1.2). */
export function isActive(entry: SilencedEntry, nowMs: number): boolean {
  const { begin, expireAtMs } = toCurrentWindow(entry, nowMs);
  return !isExpired({ expireAtMs }, nowMs) && (begin === null || begin * 1000 <= nowMs);
}

/**
 * Returns the error message if a silence without a recurrence would replace a recurring one; undefined otherwise. API
 * clients that do not know recurrences would delete them by mistake.
 */
export function replacementProblem(before: SilencedEntry | undefined, after: SilencedEntry): string | undefined {
  if (before?.recurrence === undefined || after.recurrence !== undefined) return undefined;
  return `${before.id} recurs (${before.recurrence.schedule}): clear it first, or silence the same events by a selector`;
}

/** Returns a silence in the format of the v1 API. */
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

/**
 * Returns a silence in the format of the feed, bulk requests and the audit trail: all attributes, with its end in epoch
 * seconds.
 */
export function silencedRow({ expireAtMs, ...entry }: SilencedEntry): SilencedRow {
  return { ...entry, expire_at: expireAtOf({ expireAtMs }) };
}

/** An index of silences by subscription and check. */
export interface SilencedIndex {
  /** Returns the silences of a subscription; undefined if there are none. The usual case, none, costs one lookup. */
  bySubscription(subscription: string): SilencedOfSubscription | undefined;
  /** Returns the silence `*:<check>`. */
  byCheck(check: string): SilencedEntry | undefined;
}

export interface SilencedOfSubscription {
  readonly all: SilencedEntry | undefined;
  readonly byCheck: ReadonlyMap<string, SilencedEntry>;
}

/**
 * Yields the silences that match an event, including pending and expired ones. First come those of each subscription
 * `s` of the client, `s:*` and `s:<check>`, then `*:<check>` (completion 1.3). A silence of a family of the check
 * follows that of the check (prometheus 1.6). Names match exactly.
 *
 * @param selected silences whose selectors match the event; they come last
 */
export function* matchingEntries(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  selected: readonly SilencedEntry[] = NO_ENTRIES,
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

const NO_ENTRIES: readonly SilencedEntry[] = [];

/**
 * Whether there is no silence with the check, one of its families or a subscription, and none with a matching selector.
 * This is so for nearly every event. Then `matchingEntries` yields nothing, and this test is much faster.
 */
function hasNoNamedSilence(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  selected: readonly SilencedEntry[] = NO_ENTRIES,
): boolean {
  if (selected.length > 0 || index.byCheck(check) !== undefined) return false;
  for (const subscription of subscriptions) if (index.bySubscription(subscription) !== undefined) return false;
  return familiesOf(check).every((family) => index.byCheck(family) === undefined);
}

/** Returns the ids of the active silences that match an event, in the order of `matchingEntries`. */
export function silencedByIds(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  nowMs: number,
  selected?: readonly SilencedEntry[],
): string[] {
  const ids: string[] = [];
  if (hasNoNamedSilence(index, subscriptions, check, selected)) return ids;
  for (const entry of matchingEntries(index, subscriptions, check, selected))
    if (isActive(entry, nowMs)) ids.push(entry.id);
  return ids;
}

/** Whether silences have an effect on an event: not on an OK result that resolves nothing (completion 1.3). */
export function canBeSilenced({ status, action }: Pick<EventState, 'status' | 'action'>): boolean {
  return status !== 0 || action !== 'create';
}

/** Whether at least one active silence matches an event. */
export function isSilenced(
  index: SilencedIndex,
  subscriptions: readonly string[],
  check: string,
  nowMs: number,
  selected?: readonly SilencedEntry[],
): boolean {
  if (hasNoNamedSilence(index, subscriptions, check, selected)) return false;
  for (const entry of matchingEntries(index, subscriptions, check, selected)) if (isActive(entry, nowMs)) return true;
  return false;
}

/**
 * Returns the silences that end when an event resolves: the active ones with `expire_on_resolve` that match it. A
 * pending silence does not end; it still starts later (completion 1.3.5).
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
