import type { KeptUse, SilencedEntry, SilencedUse, WindowUse } from '../../../../shared/schemas/silenced.ts';
import { isCounted } from '../../../../shared/domain/silence-idle.ts';
import { isMatchersText, parseMatcherSelector } from '../../../../shared/domain/matcher-selector.ts';
import type { Selector, SelectorSubject } from '../../../../shared/domain/selector.ts';
import { addTo, takeFrom } from '../../../../shared/domain/sets-by-name.ts';
import { Footprint, SELECTOR_BYTES, SILENCED_BYTES } from '../registry/footprint.ts';
import {
  entryAt,
  silencedId,
  type SilencedIndex,
  type SilencedOfSubscription,
} from '../../../../shared/domain/silencing.ts';
import type { SilencedChange } from '../../ports.ts';
import type { WatchedAttributes } from '../registry/watched-attributes.ts';
import { MatcherIndex, type LabelledCheck } from './matcher-index.ts';
import { Selectors, type SelectedCheck } from './selectors.ts';

/** The attributes of clients and checks that are read for the selectors of a namespace. */
export interface Watched {
  readonly client: Pick<WatchedAttributes, 'watch'>;
  readonly check: Pick<WatchedAttributes, 'watch'>;
}

const UNWATCHED: Watched = { client: { watch: () => undefined }, check: { watch: () => undefined } };

/** Returns the change that announces an entry. */
export function silencedChangeOf(
  namespace: string,
  { id, subscription, check, selector }: SilencedEntry,
): SilencedChange {
  if (selector === undefined) return ['silenced', namespace, subscription, check];
  return ['silenced', namespace, null, null, { id, selector }];
}

/** Returns the id of the entry in a change. */
export function idOfChange([, , subscription, check, bySearch]: SilencedChange): string {
  return bySearch === undefined ? silencedId(subscription, check) : bySearch.id;
}

/** The silenced entries of one namespace, indexed by id, subscription and check. */
export class SilencedRegistry implements SilencedIndex {
  /** Increases with each change of the entries. */
  changes = 0;
  #epoch = 0;
  /** End of the epoch: the time when the next entry begins or ends, epoch milliseconds. */
  #epochEndMs = Infinity;
  readonly #byId = new Map<string, SilencedEntry>();
  readonly #bySubscription = new Map<string, SubscriptionEntries>();
  readonly #byCheckOnly = new Map<string, SilencedEntry>();
  /** Ids of the entries that name the check, with or without a subscription. */
  readonly #namingCheck = new Map<string, Set<string>>();
  /** Counters of the entries that have suppressed notifications, or whose time without a match is counted. */
  readonly #uses = new Map<string, KeptUse>();
  /** Number of entries that are marked as idle. */
  idleCount = 0;
  /** Entries with a search. */
  readonly #selectors = new Selectors();
  /** Entries with a set of matchers. */
  readonly #matchers = new MatcherIndex();
  readonly #footprint: Footprint;
  readonly #watched: Watched;

  constructor(footprint = new Footprint(), watched = UNWATCHED) {
    this.#footprint = footprint;
    this.#watched = watched;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** True if any entry has a selector. */
  get hasSelectors(): boolean {
    return !this.#selectors.isEmpty || !this.#matchers.isEmpty;
  }

  /** Yields the selectors of all entries. */
  *selectors(): Generator<Pick<Selector, 'attributes'>, void, undefined> {
    yield* this.#selectors.all();
    yield* this.#matchers.all();
  }

  /** The total cost of all selectors, see `Selector.cost`. */
  get selectorCost(): number {
    return this.#selectors.cost + this.#matchers.cost;
  }

  /** True if the entry with this id has a selector that is evaluated. */
  hasSelector(id: string): boolean {
    return this.#selectors.get(id) !== undefined || this.#matchers.has(id);
  }

  /** True if `selecting` has nothing left to evaluate for a check. */
  isPrepared(check: SelectedCheck & LabelledCheck): boolean {
    return this.#selectors.isPrepared(check) && this.#matchers.isEvaluated(check);
  }

  /** Evaluates what `selecting` would evaluate, in steps of bounded time, see `Selectors.prepare`. */
  *prepare(check: SelectedCheck & LabelledCheck): Generator<void, void, undefined> {
    yield* this.#selectors.prepare(check);
    if (this.#matchers.isEvaluated(check)) return;
    this.#matchers.covering(check);
    yield;
  }

  /** Returns the entries whose selector matches a check, whether or not they are active. */
  selecting(check: SelectedCheck & LabelledCheck): readonly SilencedEntry[] {
    return joined(this.#selectors.matching(check), this.#matchers.covering(check));
  }

  /** Returns the entries whose selector matches a subject without a check of its own, without caching. */
  selectingOnce(subject: SelectorSubject): readonly SilencedEntry[] {
    return joined(this.#selectors.matchingOnce(subject), this.#matchers.coveringOnce(subject));
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

  /** Yields the entries `*:<check>` and `<subscription>:<check>`. */
  *namingCheck(check: string): Generator<SilencedEntry, void, undefined> {
    for (const id of this.#namingCheck.get(check) ?? []) {
      const entry = this.#byId.get(id);
      if (entry !== undefined) yield entry;
    }
  }

  /**
   * Yields the entries of one subscription: exactly this one, or every one that begins with `subscription` up to a
   * colon.
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

  /** Returns the number of a period in which the same entries are active. It changes when other entries may be. */
  epochAt(nowMs: number): number {
    if (nowMs >= this.#epochEndMs) {
      this.#epochEndMs = Infinity;
      for (const entry of this.#byId.values()) this.#endEpochWith(entryAt(entry, nowMs), nowMs);
      this.#epoch++;
    }
    return this.#epoch;
  }

  /** Returns the counters of an entry; undefined: it has suppressed nothing so far. */
  use(id: string): KeptUse | undefined {
    return this.#uses.get(id);
  }

  /**
   * Counts one more handler run that an entry suppressed.
   *
   * @param now epoch seconds
   */
  countUse(id: string, now: number): void {
    const before = this.#uses.get(id);
    const entry = this.#byId.get(id);
    const use = {
      ...before,
      suppressed: (before?.suppressed ?? 0) + 1,
      last_suppressed: now,
      // A suppressed notification is also a match.
      ...(isCounted(entry, before?.unmatched_since, now) && { unmatched_since: now }),
    };
    const window = windowUse(entry, before, now);
    this.#uses.set(id, window === undefined ? use : { ...use, window });
  }

  /**
   * Records a match of an entry. It does nothing if the time without a match is not counted.
   *
   * @param now epoch seconds
   * @returns true if the record changed
   */
  countMatch(id: string, now: number): boolean {
    const before = this.#uses.get(id);
    const since = before?.unmatched_since;
    if (since === now || !isCounted(this.#byId.get(id), since, now)) return false;
    this.#uses.set(id, { ...UNUSED, ...before, unmatched_since: now });
    return true;
  }

  /** Starts the count of the time for which an entry matches nothing, in epoch seconds. */
  countFrom(id: string, since: number): void {
    this.#uses.set(id, { ...UNUSED, ...this.#uses.get(id), unmatched_since: since });
  }

  forgetUse(id: string): void {
    this.#uses.delete(id);
  }

  /** Loads the stored counters of an existing entry. */
  loadUse(id: string, use: KeptUse): void {
    if (this.#byId.has(id)) this.#uses.set(id, use);
  }

  /** Adds an entry, or replaces the one with its id and keeps its counters. */
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
    if (entry.check !== null) addTo(this.#namingCheck, entry.check, entry.id);
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
    if (entry.check !== null) takeFrom(this.#namingCheck, entry.check, entry.id);
  }

  /** Adds a selector. One that a later version wrote, and this version cannot parse, matches nothing. */
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

/** Returns the counters of a recurring entry's window after one more suppressed run. */
function windowUse(
  entry: SilencedEntry | undefined,
  before: SilencedUse | undefined,
  now: number,
): WindowUse | undefined {
  if (entry?.recurrence === undefined) return undefined;
  const begin = entryAt(entry, now * 1000).begin ?? 0;
  const counted = before?.window?.begin === begin ? before.window.suppressed : 0;
  return { begin, suppressed: counted + 1 };
}

function joined(entries: readonly SilencedEntry[], others: readonly SilencedEntry[]): readonly SilencedEntry[] {
  if (others.length === 0) return entries;
  return entries.length === 0 ? others : [...entries, ...others];
}

/** The counters of an unused entry. */
export const UNUSED: SilencedUse = { suppressed: 0, last_suppressed: null };

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
