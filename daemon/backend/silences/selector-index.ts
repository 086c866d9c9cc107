import { familiesOf } from '../../../shared/domain/check-family.ts';
import {
  PART_LENGTH_MAX,
  SUBSCRIPTION_KEY,
  type KeyOwner,
  type SelectorKey,
} from '../../../shared/domain/selector-keys.ts';
import type { Selector, SelectorSubject } from '../../../shared/domain/selector.ts';

/** A selector in an index. */
export interface Indexed {
  /** Grows from one to the next. */
  readonly number: number;
  readonly selector: Selector;
  /** Set by the index. */
  isRemoved: boolean;
}

const NONE: readonly never[] = [];

/** Most new selectors that are all evaluated: that is faster than looking up every part of a name. */
const UNINDEXED_MAX = 16;

/**
 * Finds the selectors that may match a subject. Each is held under a text that it requires of a client or of a check;
 * among several such texts, under the one that the fewest others share. What requires none is always a candidate.
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
   * Selectors that may match a check of a client, except those that a check is looked up for. In the order of their
   * numbers.
   *
   * @param after number of the last selector that is known
   * @param last number of the last selector that there is
   */
  clientCandidates(subject: SelectorSubject, after: number, last: number): readonly Item[] {
    if (last - after <= UNINDEXED_MAX) return this.#all.after(after).filter((item) => this.#ownerOf(item) !== 'check');
    return inOrder([this.#unkeyed.after(after), ...this.#foundOfClient(subject, after)]);
  }

  /**
   * Selectors that may match a check, among those that may match its client and those that its name is looked up for.
   *
   * @param ofClient what was found of `clientCandidates`
   */
  checkCandidates(subject: SelectorSubject, ofClient: readonly Item[], after: number, last: number): readonly Item[] {
    const ofCheck =
      last - after <= UNINDEXED_MAX
        ? [this.#all.after(after).filter((item) => this.#ownerOf(item) === 'check')]
        : this.#foundOfCheck(subject, after);
    return inOrder([newer(ofClient, after), ...ofCheck]);
  }

  /** All selectors that may match a subject. */
  candidates(subject: SelectorSubject): readonly Item[] {
    return inOrder([this.#unkeyed.after(0), ...this.#foundOfClient(subject, 0), ...this.#foundOfCheck(subject, 0)]);
  }

  #foundOfClient({ client, subscriptions }: SelectorSubject, after: number): Iterable<readonly Item[]> {
    const whole = [client, ...subscriptions.map((subscription) => SUBSCRIPTION_KEY + subscription)];
    return this.#byKey.client.find(whole, client, after);
  }

  #foundOfCheck({ check }: SelectorSubject, after: number): Iterable<readonly Item[]> {
    // Each family of a check begins its name, so its parts are parts of the name.
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
      // Of two that nobody shares yet, the longer one, which fewer names have.
      const rank = shared - shortness(keys);
      if (rank < fewest) {
        best = keys;
        fewest = rank;
      }
    }
    return best;
  }
}

/** Above 0 and below 1: the longer the shortest of the keys, the less. */
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

  /** Notes that one of them is marked as removed. They are taken out together: one alone would cost as much. */
  removeOne(): void {
    if (++this.#removed * 2 <= this.#items.length) return;
    this.#items = this.#items.filter(({ isRemoved }) => !isRemoved);
    this.#removed = 0;
  }

  after(number: number): readonly Item[] {
    return newer(this.#items, number);
  }
}

/** The items with a higher number, which are the last ones. */
function newer<Item extends Indexed>(items: readonly Item[], number: number): readonly Item[] {
  if (number === 0) return items;
  let start = items.length;
  while (start > 0 && (items[start - 1]?.number ?? 0) > number) start--;
  return start === items.length ? NONE : items.slice(start);
}

class KeyTable<Item extends Indexed> {
  readonly #whole = new Map<string, Bucket<Item>>();
  readonly #parts = new Map<string, Bucket<Item>>();
  /** How many keys there are of each length. */
  readonly #partsOfLength = Array.from({ length: PART_LENGTH_MAX + 1 }, () => 0);

  sizeOf({ kind, text }: SelectorKey): number {
    return (kind === 'whole' ? this.#whole : this.#parts).get(text)?.size ?? 0;
  }

  add({ kind, text }: SelectorKey, item: Item): void {
    const buckets = kind === 'whole' ? this.#whole : this.#parts;
    let bucket = buckets.get(text);
    if (bucket === undefined) {
      buckets.set(text, (bucket = new Bucket()));
      if (kind === 'part') this.#partsOfLength[text.length] = (this.#partsOfLength[text.length] ?? 0) + 1;
    }
    bucket.add(item);
  }

  removeOne({ kind, text }: SelectorKey): void {
    const buckets = kind === 'whole' ? this.#whole : this.#parts;
    const bucket = buckets.get(text);
    if (bucket === undefined) return;
    bucket.removeOne();
    if (bucket.size > 0) return;
    buckets.delete(text);
    if (kind === 'part') this.#partsOfLength[text.length] = (this.#partsOfLength[text.length] ?? 1) - 1;
  }

  /**
   * @param whole texts that whole keys are looked up by
   * @param taken the text whose parts are looked up
   */
  *find(whole: readonly string[], taken: string, after: number): Generator<readonly Item[], void, undefined> {
    if (this.#whole.size > 0) {
      for (const text of whole) yield this.#whole.get(text.toLowerCase())?.after(after) ?? NONE;
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

/** Several lists in the order of numbers, each item once. */
function inOrder<Item extends Indexed>(lists: Iterable<readonly Item[]>): readonly Item[] {
  const some = [...lists].filter(({ length }) => length > 0);
  const [only] = some;
  if (some.length <= 1) return only ?? NONE;
  return [...new Set(some.flat())].toSorted((one, other) => one.number - other.number);
}
