import { familiesOf } from '../../../../shared/domain/check-family.ts';
import {
  KEY_LENGTH_MAX,
  SUBSCRIPTION_KEY,
  type KeyOwner,
  type SelectorKey,
} from '../../../../shared/domain/selector-keys.ts';
import type { Selector, SelectorSubject } from '../../../../shared/domain/selector.ts';

/** A selector, and its state in a `SelectorIndex`. */
export interface IndexedSelector {
  /** Sequence number, in the order in which the selectors were added. */
  readonly number: number;
  readonly selector: Selector;
  /** True if the index has removed the selector; only the index sets this field. */
  isRemoved: boolean;
}

const NO_SELECTORS: readonly never[] = [];

/**
 * Maximum number of new selectors that are evaluated without the index. Evaluating so few is faster than looking up
 * every part of a name in the index.
 */
const UNINDEXED_MAX = 16;

/**
 * Index that finds the selectors that possibly match a check on a client. A selector is indexed by a text that it
 * requires in the name of the client or check, or in a subscription. If it requires several texts, it is indexed by the
 * one that the fewest selectors share. A selector that requires no text is always a candidate.
 */
export class SelectorIndex<Item extends IndexedSelector> {
  readonly #all = new SelectorBucket<Item>();
  readonly #unkeyed = new SelectorBucket<Item>();
  readonly #byKey = { client: new KeyTable<Item>(), check: new KeyTable<Item>() };
  readonly #keysOf = new Map<Item, readonly SelectorKey[]>();

  add(item: Item): void {
    this.#all.add(item);
    const keys = this.#bestKeys(item.selector);
    if (keys === undefined) {
      this.#unkeyed.add(item);
      return;
    }
    this.#keysOf.set(item, keys);
    for (const key of keys) this.#byKey[key.owner].add(key, item);
  }

  remove(item: Item): void {
    item.isRemoved = true;
    this.#all.removeOne();
    const keys = this.#keysOf.get(item);
    if (keys === undefined) {
      this.#unkeyed.removeOne();
      return;
    }
    this.#keysOf.delete(item);
    for (const key of keys) this.#byKey[key.owner].removeOne(key);
  }

  /**
   * Returns the selectors added after number `after` that possibly match a check on the given client, in the order of
   * their numbers. Selectors that are indexed by the name of a check are omitted; `checkCandidates` returns them.
   *
   * @param after number of the newest selector that was already evaluated for the client
   * @param last number of the newest selector
   */
  clientCandidates(subject: SelectorSubject, after: number, last: number): readonly Item[] {
    if (last - after <= UNINDEXED_MAX) return this.#all.after(after).filter((item) => this.#ownerOf(item) !== 'check');
    return mergeInOrder([this.#unkeyed.after(after), ...this.#candidatesOfClient(subject, after)]);
  }

  /**
   * Returns the selectors added after number `after` that possibly match a check. These are selectors that possibly
   * match its client, and selectors that are indexed by the name of a check.
   *
   * @param ofClient the selectors from `clientCandidates` that possibly match the client
   * @param after number of the newest selector that was already evaluated for the check
   * @param last number of the newest selector
   */
  checkCandidates(subject: SelectorSubject, ofClient: readonly Item[], after: number, last: number): readonly Item[] {
    const ofCheck =
      last - after <= UNINDEXED_MAX
        ? [this.#all.after(after).filter((item) => this.#ownerOf(item) === 'check')]
        : this.#candidatesOfCheck(subject, after);
    return mergeInOrder([selectorsAfter(ofClient, after), ...ofCheck]);
  }

  /** Returns all selectors that possibly match a check on a client, in the order of their numbers. */
  candidates(subject: SelectorSubject): readonly Item[] {
    return mergeInOrder([
      this.#unkeyed.after(0),
      ...this.#candidatesOfClient(subject, 0),
      ...this.#candidatesOfCheck(subject, 0),
    ]);
  }

  #candidatesOfClient({ client, subscriptions }: SelectorSubject, after: number): Iterable<readonly Item[]> {
    const fullTexts = [client, ...subscriptions.map((subscription) => SUBSCRIPTION_KEY + subscription)];
    return this.#byKey.client.find(fullTexts, client, after);
  }

  #candidatesOfCheck({ check }: SelectorSubject, after: number): Iterable<readonly Item[]> {
    // Only the name of the check is split into parts. It begins with the names of its check families, so their parts
    // are included.
    return this.#byKey.check.find([check, ...familiesOf(check)], check, after);
  }

  #ownerOf(item: Item): KeyOwner | undefined {
    return this.#keysOf.get(item)?.[0]?.owner;
  }

  #bestKeys({ keys: sets }: Selector): readonly SelectorKey[] | undefined {
    let best: readonly SelectorKey[] | undefined;
    let fewest = Infinity;
    for (const keys of sets) {
      const shared = Math.max(...keys.map((key) => this.#byKey[key.owner].sizeOf(key)));
      // If two sets of keys are shared by equally many selectors, the longer texts are better, because fewer names
      // contain them.
      const rank = shared + shortnessOf(keys);
      if (rank < fewest) {
        best = keys;
        fewest = rank;
      }
    }
    return best;
  }
}

/** Returns a number between 0 and 1. The longer the shortest of the keys is, the lower is the number. */
function shortnessOf(keys: readonly SelectorKey[]): number {
  return 1 / (1 + Math.min(...keys.map(({ text }) => text.length)));
}

/** List of selectors in the order of their numbers. Removed selectors can stay in it for a while. */
class SelectorBucket<Item extends IndexedSelector> {
  #items: Item[] = [];
  #removed = 0;

  get size(): number {
    return this.#items.length - this.#removed;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /**
   * Counts one more removed selector. The list is filtered only when more than half of its selectors are removed,
   * because filtering takes as long for one selector as for many.
   */
  removeOne(): void {
    if (++this.#removed * 2 <= this.#items.length) return;
    this.#items = this.#items.filter(({ isRemoved }) => !isRemoved);
    this.#removed = 0;
  }

  after(number: number): readonly Item[] {
    return selectorsAfter(this.#items, number);
  }
}

/** Returns the selectors with a number above `number`; they are at the end of the list. */
function selectorsAfter<Item extends IndexedSelector>(items: readonly Item[], number: number): readonly Item[] {
  if (number === 0) return items;
  let start = items.length;
  while (start > 0 && (items[start - 1]?.number ?? 0) > number) start--;
  return start === items.length ? NO_SELECTORS : items.slice(start);
}

class KeyTable<Item extends IndexedSelector> {
  readonly #fullKeys = new Map<string, SelectorBucket<Item>>();
  readonly #parts = new Map<string, SelectorBucket<Item>>();
  /** Number of keys in `#parts` for each length of a key. */
  readonly #partsOfLength = Array.from({ length: KEY_LENGTH_MAX + 1 }, () => 0);

  sizeOf({ kind, text }: SelectorKey): number {
    return (kind === 'whole' ? this.#fullKeys : this.#parts).get(text)?.size ?? 0;
  }

  add({ kind, text }: SelectorKey, item: Item): void {
    const buckets = kind === 'whole' ? this.#fullKeys : this.#parts;
    let bucket = buckets.get(text);
    if (bucket === undefined) {
      buckets.set(text, (bucket = new SelectorBucket()));
      if (kind === 'part') this.#partsOfLength[text.length] = (this.#partsOfLength[text.length] ?? 0) + 1;
    }
    bucket.add(item);
  }

  removeOne({ kind, text }: SelectorKey): void {
    const buckets = kind === 'whole' ? this.#fullKeys : this.#parts;
    const bucket = buckets.get(text);
    if (bucket === undefined) return;
    bucket.removeOne();
    if (bucket.size > 0) return;
    buckets.delete(text);
    if (kind === 'part') this.#partsOfLength[text.length] = (this.#partsOfLength[text.length] ?? 1) - 1;
  }

  /**
   * Yields the selectors added after number `after` that are indexed by the given texts or by parts of a text, one list
   * per key.
   *
   * @param fullTexts texts that are looked up as whole keys
   * @param taken text whose parts are looked up, every part up to the maximum length of a key
   */
  *find(fullTexts: readonly string[], taken: string, after: number): Generator<readonly Item[], void, undefined> {
    if (this.#fullKeys.size > 0) {
      for (const text of fullTexts) yield this.#fullKeys.get(text.toLowerCase())?.after(after) ?? NO_SELECTORS;
    }
    if (this.#parts.size === 0) return;
    const lower = taken.toLowerCase();
    for (let length = 1; length <= KEY_LENGTH_MAX; length++) {
      if (this.#partsOfLength[length] === 0) continue;
      for (let start = 0; start + length <= lower.length; start++) {
        const bucket = this.#parts.get(lower.slice(start, start + length));
        if (bucket !== undefined) yield bucket.after(after);
      }
    }
  }
}

/** Merges lists of selectors into one list in the order of their numbers, without duplicates. */
function mergeInOrder<Item extends IndexedSelector>(lists: Iterable<readonly Item[]>): readonly Item[] {
  const some = [...lists].filter(({ length }) => length > 0);
  const [only] = some;
  if (some.length <= 1) return only ?? NO_SELECTORS;
  return [...new Set(some.flat())].toSorted((one, other) => one.number - other.number);
}
