import { familiesOf } from '../../../../shared/domain/check-family.ts';
import {
  PART_LENGTH_MAX,
  SUBSCRIPTION_KEY,
  type KeyOwner,
  type SelectorKey,
} from '../../../../shared/domain/selector-keys.ts';
import type { Selector, SelectorSubject } from '../../../../shared/domain/selector.ts';

/** A selector in an index. */
export interface Indexed {
  /** Increases from one selector to the next. */
  readonly number: number;
  readonly selector: Selector;
  /** Set by the index. */
  isRemoved: boolean;
}

const NONE: readonly never[] = [];

/** Maximum number of new selectors that are all evaluated: that is faster than looking up every part of a name. */
const UNINDEXED_MAX = 16;

/**
 * Finds the selectors that may match a subject. Each is indexed by a text that it requires of a client or of a check;
 * of several such texts, by the one that the fewest others share. A selector without such a text is always a candidate.
 */
export class SelectorIndex<Item extends Indexed> {
  readonly #all = new Bucket<Item>();
  readonly #unkeyed = new Bucket<Item>();
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
   * Returns the selectors that may match a check of a client, except those that are indexed by check. They are in the
   * order of their numbers.
   *
   * @param after number of the last selector that is known
   * @param last number of the last existing selector
   */
  clientCandidates(subject: SelectorSubject, after: number, last: number): readonly Item[] {
    if (last - after <= UNINDEXED_MAX) return this.#all.after(after).filter((item) => this.#ownerOf(item) !== 'check');
    return inOrder([this.#unkeyed.after(after), ...this.#candidatesOfClient(subject, after)]);
  }

  /**
   * Returns the selectors that may match a check, among those that may match its client and those indexed by its name.
   *
   * @param ofClient the matches among `clientCandidates`
   */
  checkCandidates(subject: SelectorSubject, ofClient: readonly Item[], after: number, last: number): readonly Item[] {
    const ofCheck =
      last - after <= UNINDEXED_MAX
        ? [this.#all.after(after).filter((item) => this.#ownerOf(item) === 'check')]
        : this.#candidatesOfCheck(subject, after);
    return inOrder([newer(ofClient, after), ...ofCheck]);
  }

  /** Returns all selectors that may match a subject. */
  candidates(subject: SelectorSubject): readonly Item[] {
    return inOrder([
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
    // A check name begins with its family, so parts of the family are parts of the name.
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
      // If no other selector shares either, the longer text is better, because fewer names contain it.
      const rank = shared - shortness(keys);
      if (rank < fewest) {
        best = keys;
        fewest = rank;
      }
    }
    return best;
  }
}

/** Returns a number between 0 and 1, which is smaller for a longer shortest key. */
function shortness(keys: readonly SelectorKey[]): number {
  return 1 / (1 + Math.min(...keys.map(({ text }) => text.length)));
}

/** Items in the order of their numbers. */
class Bucket<Item extends Indexed> {
  #items: Item[] = [];
  #removed = 0;

  get size(): number {
    return this.#items.length - this.#removed;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Counts one item as removed. Removed items are taken out together, because one alone would cost as much. */
  removeOne(): void {
    if (++this.#removed * 2 <= this.#items.length) return;
    this.#items = this.#items.filter(({ isRemoved }) => !isRemoved);
    this.#removed = 0;
  }

  after(number: number): readonly Item[] {
    return newer(this.#items, number);
  }
}

/** Returns the items with a higher number, which are the last ones. */
function newer<Item extends Indexed>(items: readonly Item[], number: number): readonly Item[] {
  if (number === 0) return items;
  let start = items.length;
  while (start > 0 && (items[start - 1]?.number ?? 0) > number) start--;
  return start === items.length ? NONE : items.slice(start);
}

class KeyTable<Item extends Indexed> {
  readonly #fullKeys = new Map<string, Bucket<Item>>();
  readonly #parts = new Map<string, Bucket<Item>>();
  /** Number of keys of each length. */
  readonly #partsOfLength = Array.from({ length: PART_LENGTH_MAX + 1 }, () => 0);

  sizeOf({ kind, text }: SelectorKey): number {
    return (kind === 'whole' ? this.#fullKeys : this.#parts).get(text)?.size ?? 0;
  }

  add({ kind, text }: SelectorKey, item: Item): void {
    const buckets = kind === 'whole' ? this.#fullKeys : this.#parts;
    let bucket = buckets.get(text);
    if (bucket === undefined) {
      buckets.set(text, (bucket = new Bucket()));
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
   * @param fullTexts texts to look up as whole keys
   * @param taken text whose parts are looked up
   */
  *find(fullTexts: readonly string[], taken: string, after: number): Generator<readonly Item[], void, undefined> {
    if (this.#fullKeys.size > 0) {
      for (const text of fullTexts) yield this.#fullKeys.get(text.toLowerCase())?.after(after) ?? NONE;
    }
    if (this.#parts.size === 0) return;
    const lower = taken.toLowerCase();
    for (let length = 1; length <= PART_LENGTH_MAX; length++) {
      if (this.#partsOfLength[length] === 0) continue;
      for (let start = 0; start + length <= lower.length; start++) {
        const bucket = this.#parts.get(lower.slice(start, start + length));
        if (bucket !== undefined) yield bucket.after(after);
      }
    }
  }
}

/** Merges several lists in the order of numbers, each item once. */
function inOrder<Item extends Indexed>(lists: Iterable<readonly Item[]>): readonly Item[] {
  const some = [...lists].filter(({ length }) => length > 0);
  const [only] = some;
  if (some.length <= 1) return only ?? NONE;
  return [...new Set(some.flat())].toSorted((one, other) => one.number - other.number);
}
