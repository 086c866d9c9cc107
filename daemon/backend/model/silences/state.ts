import type {
  StoredSilenceCounters,
  SilencedEntry,
  SilenceCounters,
  WindowUse,
} from '../../../../shared/schemas/silenced.ts';
import { isCounted } from '../../../../shared/domain/silence-idle.ts';
import { isMatchersText, parseMatcherSelector } from '../../../../shared/domain/matcher-selector.ts';
import type { Selector, SelectorSubject } from '../../../../shared/domain/selector.ts';
import { addToSet, removeFromSet } from '../../../../shared/domain/sets-by-name.ts';
import { Footprint, SELECTOR_BYTES, SILENCED_BYTES } from '../registry/footprint.ts';
import {
  toCurrentWindow,
  silencedId,
  type SilencedIndex,
  type SilencedOfSubscription,
} from '../../../../shared/domain/silencing.ts';
import type { SilencedChange } from '../../ports.ts';
import type { WatchedAttributes } from '../registry/watched-attributes.ts';
import { MatcherIndex, type LabelledCheck } from './matcher-index.ts';
import { Selectors, type SelectedCheck } from './selectors.ts';

/** The attributes of clients and checks that are in memory, because the selectors of the namespace use them. */
export interface WatchedOwners {
  readonly client: Pick<WatchedAttributes, 'watch'>;
  readonly check: Pick<WatchedAttributes, 'watch'>;
}

const NO_WATCHED_OWNERS: WatchedOwners = { client: { watch: () => undefined }, check: { watch: () => undefined } };

/** Returns the change that announces that a silence was created, changed or removed. */
export function silencedChangeOf(
  namespace: string,
  { id, subscription, check, selector }: SilencedEntry,
): SilencedChange {
  if (selector === undefined) return ['silenced', namespace, subscription, check];
  return ['silenced', namespace, null, null, { id, selector }];
}

/** Returns the id of the silence that a change announces. */
export function idOfChange([, , subscription, check, bySearch]: SilencedChange): string {
  return bySearch === undefined ? silencedId(subscription, check) : bySearch.id;
}

/** The silences of one namespace, indexed by id, subscription, check and selector. */
export class SilencedRegistry implements SilencedIndex {
  /** Number of changes of silences so far; caches compare it to detect that they are out of date. */
  changes = 0;
  #epoch = 0;
  /** Time in epoch milliseconds when the next silence begins or ends; from then on `epochAt` returns a new number. */
  #epochEndMs = Infinity;
  readonly #byId = new Map<string, SilencedEntry>();
  readonly #bySubscription = new Map<string, SubscriptionEntries>();
  readonly #byCheckOnly = new Map<string, SilencedEntry>();
  /** Ids of the silences that name a check, with or without a subscription, by the name of the check. */
  readonly #namingCheck = new Map<string, Set<string>>();
  /**
   * Counters, by the id of the silence. A silence has counters if it suppressed notifications, or if the time since its
   * last match is measured.
   */
  readonly #uses = new Map<string, StoredSilenceCounters>();
  /** Number of silences that are marked as idle. */
  idleCount = 0;
  /** Silences whose selector is a search. */
  readonly #selectors = new Selectors();
  /** Silences whose selector is a set of label matchers. */
  readonly #matchers = new MatcherIndex();
  readonly #footprint: Footprint;
  readonly #watched: WatchedOwners;

  constructor(footprint = new Footprint(), watched = NO_WATCHED_OWNERS) {
    this.#footprint = footprint;
    this.#watched = watched;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** True if any silence has a valid selector. */
  get hasSelectors(): boolean {
    return !this.#selectors.isEmpty || !this.#matchers.isEmpty;
  }

  /** Yields the valid selectors of all silences. */
  *selectors(): Generator<Pick<Selector, 'attributes'>, void, undefined> {
    yield* this.#selectors.all();
    yield* this.#matchers.all();
  }

  /** Sum of the evaluation costs of all selectors, see `Selector.cost`. */
  get selectorCost(): number {
    return this.#selectors.cost + this.#matchers.cost;
  }

  /** True if the silence with this id has a valid selector. */
  hasSelector(id: string): boolean {
    return this.#selectors.get(id) !== undefined || this.#matchers.has(id);
  }

  /** True if the caches of a check are up to date, so that `selecting` need not evaluate a selector. */
  isPrepared(check: SelectedCheck & LabelledCheck): boolean {
    return this.#selectors.isPrepared(check) && this.#matchers.isEvaluated(check);
  }

  /**
   * Updates the caches of a check, so that `selecting` then need not evaluate a selector. Selectors that are searches
   * are evaluated in short steps, see `Selectors.prepare`. All selectors that are sets of label matchers are evaluated
   * in one step.
   */
  *prepare(check: SelectedCheck & LabelledCheck): Generator<void, void, undefined> {
    yield* this.#selectors.prepare(check);
    if (this.#matchers.isEvaluated(check)) return;
    this.#matchers.covering(check);
    yield;
  }

  /** Returns the silences whose selector matches a check, including pending and expired ones. The result is cached. */
  selecting(check: SelectedCheck & LabelledCheck): readonly SilencedEntry[] {
    return joinEntries(this.#selectors.matching(check), this.#matchers.covering(check));
  }

  /**
   * Returns the silences whose selector matches a hypothetical check, or a check with attributes that differ from the
   * stored ones. Nothing is cached.
   */
  selectingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return joinEntries(this.#selectors.matchingOnce(subject), this.#matchers.coveringOnce(subject));
  }

  get(id: string): SilencedEntry | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<SilencedEntry> {
    return this.#byId.values();
  }

  bySubscription(subscription: string): SilencedOfSubscription | undefined {
    return this.#bySubscription.get(subscription);
  }

  byCheck(check: string): SilencedEntry | undefined {
    return this.#byCheckOnly.get(check);
  }

  /** Yields the silences that name a check: `*:<check>` and every `<subscription>:<check>`. */
  *namingCheck(check: string): Generator<SilencedEntry, void, undefined> {
    for (const id of this.#namingCheck.get(check) ?? []) {
      const entry = this.#byId.get(id);
      if (entry !== undefined) yield entry;
    }
  }

  /**
   * Yields the silences that name a subscription.
   *
   * @param isPrefix true to include every subscription that begins with `subscription` and a colon
   */
  *namingSubscription(subscription: string, isPrefix: boolean): Generator<SilencedEntry, void, undefined> {
    if (isPrefix) {
      for (const [name, entries] of this.#bySubscription) {
        if (name === subscription || name.startsWith(`${subscription}:`)) yield* entries;
      }
      return;
    }
    yield* this.#bySubscription.get(subscription) ?? [];
  }

  /**
   * Returns the version number of the set of active silences. It increases when a silence begins, ends, is stored or is
   * removed.
   */
  epochAt(nowMs: number): number {
    if (nowMs >= this.#epochEndMs) {
      this.#epochEndMs = Infinity;
      for (const entry of this.#byId.values()) this.#endEpochWith(toCurrentWindow(entry, nowMs), nowMs);
      this.#epoch++;
    }
    return this.#epoch;
  }

  /**
   * Returns the counters of a silence; undefined if it suppressed nothing and the time since its last match is not
   * measured.
   */
  use(id: string): StoredSilenceCounters | undefined {
    return this.#uses.get(id);
  }

  /**
   * Counts one more handler run that a silence suppressed.
   *
   * @param now epoch seconds
   */
  countSuppressedRun(id: string, now: number): void {
    const before = this.#uses.get(id);
    const entry = this.#byId.get(id);
    const use = {
      ...before,
      suppressed: (before?.suppressed ?? 0) + 1,
      last_suppressed: now,
      // A silence that suppresses a notification also matches an event. So the time since its last match is measured
      // anew.
      ...(isCounted(entry, before?.unmatched_since, now) && { unmatched_since: now }),
    };
    const window = windowUse(entry, before, now);
    this.#uses.set(id, window === undefined ? use : { ...use, window });
  }

  /**
   * Records that a silence matches an event now, if the time since its last match is measured.
   *
   * @param now epoch seconds
   * @returns true if the stored counters must be updated
   */
  countMatch(id: string, now: number): boolean {
    const before = this.#uses.get(id);
    const since = before?.unmatched_since;
    if (since === now || !isCounted(this.#byId.get(id), since, now)) return false;
    this.#uses.set(id, { ...ZERO_COUNTERS, ...before, unmatched_since: now });
    return true;
  }

  /** Starts to measure the time since the last match of a silence. @param since start of that time in epoch seconds */
  countFrom(id: string, since: number): void {
    this.#uses.set(id, { ...ZERO_COUNTERS, ...this.#uses.get(id), unmatched_since: since });
  }

  forgetUse(id: string): void {
    this.#uses.delete(id);
  }

  /** Loads the stored counters of a silence into memory. Does nothing if the silence does not exist. */
  loadUse(id: string, use: StoredSilenceCounters): void {
    if (this.#byId.has(id)) this.#uses.set(id, use);
  }

  /** Adds a silence. If there is a silence with the same id, replaces it and keeps its counters. */
  put(entry: SilencedEntry): void {
    this.#noteChange();
    this.#endEpochWith(entry, -Infinity);
    const before = this.#byId.get(entry.id);
    this.#footprint.bytes += bytesOf(entry) - bytesOf(before);
    this.idleCount += idleOf(entry) - idleOf(before);
    this.#byId.set(entry.id, entry);
    if (entry.subscription !== null) {
      let entries = this.#bySubscription.get(entry.subscription);
      if (entries === undefined) this.#bySubscription.set(entry.subscription, (entries = new SubscriptionEntries()));
      entries.put(entry);
    } else if (entry.check !== null) {
      this.#byCheckOnly.set(entry.check, entry);
    } else if (entry.selector !== undefined) {
      this.#watch(this.#putSelector(entry, entry.selector));
    }
    if (entry.check !== null) addToSet(this.#namingCheck, entry.check, entry.id);
  }

  remove(entry: SilencedEntry): void {
    this.#noteChange();
    this.#uses.delete(entry.id);
    const before = this.#byId.get(entry.id);
    this.#footprint.bytes -= bytesOf(before);
    this.idleCount -= idleOf(before);
    this.#byId.delete(entry.id);
    if (entry.subscription !== null) {
      const entries = this.#bySubscription.get(entry.subscription);
      entries?.remove(entry);
      if (entries?.isEmpty === true) this.#bySubscription.delete(entry.subscription);
    } else if (entry.check !== null) {
      this.#byCheckOnly.delete(entry.check);
    } else {
      this.#selectors.remove(entry.id);
      this.#matchers.remove(entry.id);
    }
    if (entry.check !== null) removeFromSet(this.#namingCheck, entry.check, entry.id);
  }

  /**
   * Indexes the selector of a silence. If this version cannot parse the selector, because a later version wrote it, the
   * selector is not indexed and matches nothing.
   *
   * @returns the parsed selector; undefined if it is invalid
   */
  #putSelector(entry: SilencedEntry, text: string): Pick<Selector, 'attributes'> | undefined {
    if (!isMatchersText(text)) {
      this.#matchers.remove(entry.id);
      return this.#selectors.put(entry, text);
    }
    this.#selectors.remove(entry.id);
    const selector = parseMatcherSelector(text);
    if (selector.kind === 'problem') {
      this.#matchers.remove(entry.id);
      return undefined;
    }
    this.#matchers.put(entry, selector);
    return selector;
  }

  #watch(selector: Pick<Selector, 'attributes'> | undefined): void {
    if (selector === undefined) return;
    this.#watched.client.watch(selector.attributes.client);
    this.#watched.check.watch(selector.attributes.check);
  }

  #noteChange(): void {
    this.changes++;
    this.#epoch++;
  }

  #endEpochWith({ begin, expireAtMs }: SilencedEntry, afterMs: number): void {
    for (const boundaryMs of [(begin ?? -Infinity) * 1000, expireAtMs ?? -Infinity]) {
      if (boundaryMs > afterMs) this.#epochEndMs = Math.min(this.#epochEndMs, boundaryMs);
    }
  }
}

/**
 * Returns the counters of the current window of a recurring silence, with one more suppressed handler run; undefined if
 * the silence does not recur.
 *
 * @param before the previous counters of the silence; undefined if there are none
 * @param now epoch seconds
 */
function windowUse(
  entry: SilencedEntry | undefined,
  before: SilenceCounters | undefined,
  now: number,
): WindowUse | undefined {
  if (entry?.recurrence === undefined) return undefined;
  const begin = toCurrentWindow(entry, now * 1000).begin ?? 0;
  const counted = before?.window?.begin === begin ? before.window.suppressed : 0;
  return { begin, suppressed: counted + 1 };
}

function joinEntries(entries: readonly SilencedEntry[], others: readonly SilencedEntry[]): readonly SilencedEntry[] {
  if (others.length === 0) return entries;
  return entries.length === 0 ? others : [...entries, ...others];
}

/** The counters of a silence that suppressed nothing so far. */
export const ZERO_COUNTERS: SilenceCounters = { suppressed: 0, last_suppressed: null };

function idleOf(entry: SilencedEntry | undefined): number {
  return entry?.idle === undefined ? 0 : 1;
}

function bytesOf(entry: SilencedEntry | undefined): number {
  if (entry === undefined) return 0;
  const { id, reason, creator, selector } = entry;
  const texts = 3 * id.length + (reason?.length ?? 0) + (creator?.length ?? 0);
  return SILENCED_BYTES + texts + (selector === undefined ? 0 : SELECTOR_BYTES + 2 * selector.length);
}

class SubscriptionEntries implements SilencedOfSubscription, Iterable<SilencedEntry> {
  all: SilencedEntry | undefined;
  readonly byCheck = new Map<string, SilencedEntry>();

  get isEmpty(): boolean {
    return this.all === undefined && this.byCheck.size === 0;
  }

  *[Symbol.iterator](): Generator<SilencedEntry, void, undefined> {
    if (this.all !== undefined) yield this.all;
    yield* this.byCheck.values();
  }

  put(entry: SilencedEntry): void {
    if (entry.check === null) this.all = entry;
    else this.byCheck.set(entry.check, entry);
  }

  remove(entry: SilencedEntry): void {
    if (entry.check === null) this.all = undefined;
    else this.byCheck.delete(entry.check);
  }
}
