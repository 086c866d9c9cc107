import { mergeByRank, sortByRank, type RankedItems } from './ranked-items.ts';

/** Chunks split beyond this: small enough to splice cheaply, large enough that 100,000 items are a few hundred chunks. */
const CHUNK_MAX = 1024;

/** From this share of the list on, merging all arrivals is cheaper than finding the place of each. */
const MERGE_SHARE = 1 / 16;

/** Up to so many arrivals one of them is looked for among all; where there are more, they get their places first. */
const ARRIVALS_SEARCHED_MAX = 4096;

/**
 * Items in order, with insertion and removal in the middle at the cost of one binary search and one short splice. What
 * was inserted gets its place when somebody looks, so that a whole registry that arrives at once is sorted once.
 *
 * @param compare a total order: two different items never compare as equal, and an item's place must not change while
 *   it is in the list (remove it, change it, insert it again)
 * @param rankOf what decides first: of two items with different ranks the one with the smaller comes before the other by
 *   `compare`, too. Default: the same for all
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #rankOf: (item: T) => number;
  #chunks: RankedItems<T>[] = [];
  /** Of the items in chunks. */
  #placed = 0;
  /** Inserted, and without a place yet: with their ranks, which are at hand while the rows are being looked at anyway. */
  #arrivals: RankedItems<T> = { items: [], ranks: [] };

  constructor(compare: (a: T, b: T) => number, rankOf: (item: T) => number = () => 0) {
    this.#compare = compare;
    this.#rankOf = rankOf;
  }

  get length(): number {
    return this.#placed + this.#arrivals.items.length;
  }

  insert(item: T): void {
    this.#arrivals.items.push(item);
    this.#arrivals.ranks.push(this.#rankOf(item));
  }

  /** @returns whether the item was there */
  remove(item: T): boolean {
    if (this.#take(item)) return true;
    const { items, ranks } = this.#arrivals;
    if (items.length > ARRIVALS_SEARCHED_MAX) {
      this.settle();
      return this.#take(item);
    }
    const place = items.indexOf(item);
    if (place === -1) return false;
    items.splice(place, 1);
    ranks.splice(place, 1);
    return true;
  }

  /** @returns -1 when the item is not there */
  indexOf(item: T): number {
    this.settle();
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return -1;
    const place = this.#placeIn(chunk, item);
    if (chunk.items[place] !== item) return -1;
    let before = 0;
    for (let index = 0; index < at; index += 1) before += this.#chunks[index]?.items.length ?? 0;
    return before + place;
  }

  at(index: number): T | undefined {
    return this.slice(index, index + 1)[0];
  }

  /** Items from `start` up to but without `end`, fewer when the list ends before. */
  slice(start: number, end: number): T[] {
    this.settle();
    const items: T[] = [];
    let before = 0;
    for (const chunk of this.#chunks) {
      if (before >= end) break;
      const after = before + chunk.items.length;
      if (after > start) items.push(...chunk.items.slice(Math.max(0, start - before), end - before));
      before = after;
    }
    return items;
  }

  toArray(): T[] {
    this.settle();
    return this.#joined();
  }

  /** Takes `items`, already in order, in place of everything. */
  replace(items: readonly T[]): void {
    this.#fill({ items: [...items], ranks: items.map(this.#rankOf) });
  }

  /** Another list of some of the items, whose ranks are not read from them again. */
  filtered(isWanted: (item: T) => boolean): SortedList<T> {
    this.settle();
    const wanted: RankedItems<T> = { items: [], ranks: [] };
    for (const { items, ranks } of this.#chunks) {
      for (let index = 0; index < items.length; index += 1) {
        const item = items[index] as T;
        if (!isWanted(item)) continue;
        wanted.items.push(item);
        wanted.ranks.push(ranks[index] ?? 0);
      }
    }
    const list = new SortedList(this.#compare, this.#rankOf);
    list.#fill(wanted);
    return list;
  }

  /** Gives every arrival its place, as every look does. */
  settle(): void {
    const { items: arrivals, ranks: arrivedRanks } = this.#arrivals;
    if (arrivals.length === 0) return;
    if (arrivals.length > this.#placed * MERGE_SHARE) {
      const sorted = sortByRank(arrivals, Float64Array.from(arrivedRanks), this.#compare);
      const ranks = joined(this.#chunks.map((chunk) => chunk.ranks));
      this.#fill(mergeByRank({ items: this.#joined(), ranks }, sorted, this.#compare));
      return;
    }
    this.#arrivals = { items: [], ranks: [] };
    for (const item of arrivals) this.#place(item);
  }

  #fill({ items, ranks }: RankedItems<T>): void {
    this.#chunks = [];
    for (let start = 0; start < items.length; start += CHUNK_MAX >> 1) {
      const end = start + (CHUNK_MAX >> 1);
      this.#chunks.push({ items: items.slice(start, end), ranks: ranks.slice(start, end) });
    }
    this.#placed = items.length;
    this.#arrivals = { items: [], ranks: [] };
  }

  #joined(): T[] {
    return joined(this.#chunks.map(({ items }) => items));
  }

  #place(item: T): void {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push({ items: [item], ranks: [this.#rankOf(item)] });
    } else {
      const { items, ranks } = chunk;
      const place = this.#placeIn(chunk, item);
      items.splice(place, 0, item);
      ranks.splice(place, 0, this.#rankOf(item));
      if (items.length > CHUNK_MAX) {
        this.#chunks.splice(at + 1, 0, { items: items.splice(CHUNK_MAX >> 1), ranks: ranks.splice(CHUNK_MAX >> 1) });
      }
    }
    this.#placed += 1;
  }

  #take(item: T): boolean {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const place = this.#placeIn(chunk, item);
    if (chunk.items[place] !== item) return false;
    chunk.items.splice(place, 1);
    chunk.ranks.splice(place, 1);
    if (chunk.items.length === 0) this.#chunks.splice(at, 1);
    this.#placed -= 1;
    return true;
  }

  /** The first chunk whose last item is not before `item`, or the last chunk. */
  #chunkFor(item: T): number {
    const rank = this.#rankOf(item);
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle];
      if (chunk !== undefined && this.#isBefore(chunk, chunk.items.length - 1, item, rank)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first place in the chunk that is not before `item`. */
  #placeIn(chunk: RankedItems<T>, item: T): number {
    const rank = this.#rankOf(item);
    let low = 0;
    let high = chunk.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(chunk, middle, item, rank)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether what is at a place of the chunk comes before `item`. */
  #isBefore({ items, ranks }: RankedItems<T>, place: number, item: T, rank: number): boolean {
    const placed = ranks[place] ?? 0;
    return placed === rank ? this.#compare(items[place] as T, item) < 0 : placed < rank;
  }
}

function joined<T>(parts: readonly (readonly T[])[]): T[] {
  // Several times as fast as `flat`, which looks at each item.
  return ([] as T[]).concat(...parts);
}
