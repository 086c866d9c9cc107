import type { KeptUse, SilencedEntry, SilencedUse, WindowUse } from '../../../shared/schemas/silenced.ts';
import { isCounted } from '../../../shared/domain/silence-idle.ts';
import { isMatchersText, parseMatcherSelector } from '../../../shared/domain/matcher-selector.ts';
import type { Selector, SelectorSubject } from '../../../shared/domain/selector.ts';
import { addTo, takeFrom } from '../../../shared/domain/sets-by-name.ts';
import { Footprint, SELECTOR_BYTES, SILENCED_BYTES } from '../registry/footprint.ts';
import {
  entryAt,
  silencedId,
  type SilencedIndex,
  type SilencedOfSubscription,
} from '../../../shared/domain/silencing.ts';
import type { SilencedChange } from '../ports.ts';
import type { WatchedAttributes } from '../registry/watched-attributes.ts';
import { MatcherIndex, type LabelledCheck } from './matcher-index.ts';
import { Selectors, type SelectedCheck } from './selectors.ts';

/** What is read of clients and checks for the selectors of a namespace. */
export interface Watched {
  readonly client: Pick<WatchedAttributes, 'watch'>;
  readonly check: Pick<WatchedAttributes, 'watch'>;
}

const UNWATCHED: Watched = { client: { watch: () => undefined }, check: { watch: () => undefined } };

/** What is announced of an entry. */
export function changeOf(namespace: string, { id, subscription, check, selector }: SilencedEntry): SilencedChange {
  if (selector === undefined) return ['silenced', namespace, subscription, check];
  return ['silenced', namespace, null, null, { id, selector }];
}

/** The id of the entry that a change is about. */
export function idOfChange([, , subscription, check, bySearch]: SilencedChange): string {
  return bySearch === undefined ? silencedId(subscription, check) : bySearch.id;
}

/** The silenced entries of one namespace, found by id and by each of their parts. */
export class SilencedRegistry implements SilencedIndex {
  /** Grows with each change of the entries. */
  changes = 0;
  #epoch = 0;
  /** When the next entry begins or ends: then the epoch is over. Epoch milliseconds. */
  #epochEndMs = Infinity;
  readonly #byId = new Map<string, SilencedEntry>();
  readonly #bySubscription = new Map<string, SubscriptionEntries>();
  readonly #byCheckOnly = new Map<string, SilencedEntry>();
  /** Every entry that names the check, with or without a subscription. */
  readonly #namingCheck = new Map<string, Set<string>>();
  /** Of the entries that have kept anything back, or of which it is counted how long they match nothing. */
  readonly #uses = new Map<string, KeptUse>();
  /** Entries that are marked as idle. */
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

  /** Whether entries have a selector at all. */
  get hasSelectors(): boolean {
    return !this.#selectors.isEmpty || !this.#matchers.isEmpty;
  }

  /** The selectors of all entries. */
  *selectors(): Generator<Pick<Selector, 'attributes'>, void, undefined> {
    yield* this.#selectors.all();
    yield* this.#matchers.all();
  }

  /** The cost of all selectors together, see `Selector.cost`. */
  get selectorCost(): number {
    return this.#selectors.cost + this.#matchers.cost;
  }

  /** Whether the entry with this id has a selector that is evaluated. */
  hasSelector(id: string): boolean {
    return this.#selectors.get(id) !== undefined || this.#matchers.has(id);
  }

  /** Whether `selecting` has nothing left to evaluate for a check. */
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

  /** The entries whose selector matches a check, whether or not they are active. */
  selecting(check: SelectedCheck & LabelledCheck): readonly SilencedEntry[] {
    return joined(this.#selectors.matching(check), this.#matchers.covering(check));
  }

  /** The entries whose selector matches what is not known as a check of its own; nothing is remembered of it. */
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

  /** Entries `*:<check>` and `<subscription>:<check>`. */
  *namingCheck(check: string): Generator<SilencedEntry, void, undefined> {
    for (const id of this.#namingCheck.get(check) ?? []) {
      const entry = this.#byId.get(id);
      if (entry !== undefined) yield entry;
    }
  }

  /** Entries of one subscription: exactly this one, or every one that begins with `subscription` up to a colon. */
  *namingSubscription(subscription: string, isPrefix: boolean): Generator<SilencedEntry, void, undefined> {
    if (isPrefix) {
      for (const [name, entries] of this.#bySubscription) {
        if (name === subscription || name.startsWith(`${subscription}:`)) yield* entries;
      }
      return;
    }
    yield* this.#bySubscription.get(subscription) ?? [];
  }

  /** Names a span of time in which the same entries silence: another number, if others may. */
  epochAt(nowMs: number): number {
    if (nowMs >= this.#epochEndMs) {
      this.#epochEndMs = Infinity;
      for (const entry of this.#byId.values()) this.#endEpochWith(entryAt(entry, nowMs), nowMs);
      this.#epoch++;
    }
    return this.#epoch;
  }

  /** What an entry has kept back; undefined: nothing so far. */
  use(id: string): KeptUse | undefined {
    return this.#uses.get(id);
  }

  /**
   * Counts one more run of a handler that an entry kept back.
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
      // What kept something back has matched.
      ...(isCounted(entry, before?.unmatched_since, now) && { unmatched_since: now }),
    };
    const window = windowUse(entry, before, now);
    this.#uses.set(id, window === undefined ? use : { ...use, window });
  }

  /**
   * Notes that an entry matched something; where nobody counts how long it matches nothing, that is no use.
   *
   * @param now epoch seconds
   * @returns whether that is news
   */
  countMatch(id: string, now: number): boolean {
    const before = this.#uses.get(id);
    const since = before?.unmatched_since;
    if (since === now || !isCounted(this.#byId.get(id), since, now)) return false;
    this.#uses.set(id, { ...UNUSED, ...before, unmatched_since: now });
    return true;
  }

  /** Counts from here on how long an entry matches nothing, epoch seconds. */
  countFrom(id: string, since: number): void {
    this.#uses.set(id, { ...UNUSED, ...this.#uses.get(id), unmatched_since: since });
  }

  forgetUse(id: string): void {
    this.#uses.delete(id);
  }

  /** What the store knows of an entry that is here. */
  loadUse(id: string, use: KeptUse): void {
    if (this.#byId.has(id)) this.#uses.set(id, use);
  }

  /** In place of the one with its id, whose use goes on. */
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

  /** A selector that a later version wrote, and this one cannot read, matches nothing. */
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
    for (const turnMs of [(begin ?? -Infinity) * 1000, expireAtMs ?? -Infinity]) {
      if (turnMs > afterMs) this.#epochEndMs = Math.min(this.#epochEndMs, turnMs);
    }
  }
}

/** What the window of an entry that recurs has kept back with one run more. */
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

function joined(found: readonly SilencedEntry[], others: readonly SilencedEntry[]): readonly SilencedEntry[] {
  if (others.length === 0) return found;
  return found.length === 0 ? others : [...found, ...others];
}

/** Nothing so far. */
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
