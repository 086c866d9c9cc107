import { mergeByRank, sortByRank, type RankedItems } from './ranked-items.ts';

/**
 * Maximum number of items in a chunk: small enough for cheap splicing, large enough that 100,000 items need only a few
 * hundred chunks.
 */
const CHUNK_MAX = 1024;

/**
 * Share of the list. If more items than this were inserted since the last read, one merge is cheaper than many
 * insertions.
 */
const MERGE_SHARE = 1 / 16;

/**
 * Maximum number of inserted items without a position that a removal searches one by one. If there are more, they are
 * moved to their positions first.
 */
const ARRIVALS_SEARCHED_MAX = 4096;

/**
 * A sorted list. Insertion and removal cost one binary search and one short splice. Inserted items get their position
 * on the next read, so that many items that arrive at once are sorted only once.
 *
 * @param compare a total order: different items never compare as equal. The position of an item must not change while
 *   it is in the list (remove it, change it, insert it again)
 * @param rankOf callback that returns a number that is compared before `compare` is used: the smaller rank comes first.
 *   It must agree with `compare`. Default: a constant
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #rankOf: (item: T) => number;
  #chunks: RankedItems<T>[] = [];
  /** Number of items in the chunks, without inserted items that have no position yet. */
  #placed = 0;
  /** Inserted items that have no position yet, with their ranks, which are cheap to read at insertion. */
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

  /**
   * Removes an item from the list.
   *
   * @returns true if the item was in the list, otherwise false
   */
  remove(item: T): boolean {
    if (this.#removeFromChunks(item)) return true;
    const { items, ranks } = this.#arrivals;
    if (items.length > ARRIVALS_SEARCHED_MAX) {
      this.mergeInserted();
      return this.#removeFromChunks(item);
    }
    const position = items.indexOf(item);
    if (position === -1) return false;
    items.splice(position, 1);
    ranks.splice(position, 1);
    return true;
  }

  /**
   * Returns the position of an item.
   *
   * @returns the position, counted from 0; -1 if the item is not in the list
   */
  indexOf(item: T): number {
    this.mergeInserted();
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return -1;
    const position = this.#positionIn(chunk, item);
    if (chunk.items[position] !== item) return -1;
    let before = 0;
    for (let index = 0; index < at; index += 1) before += this.#chunks[index]?.items.length ?? 0;
    return before + position;
  }

  at(index: number): T | undefined {
    return this.slice(index, index + 1)[0];
  }

  /** Returns the items at positions `start` to `end - 1`; fewer if the list is shorter. */
  slice(start: number, end: number): T[] {
    this.mergeInserted();
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
    this.mergeInserted();
    return this.#joined();
  }

  /** Replaces all items by `items`, which are already sorted. */
  replace(items: readonly T[]): void {
    this.#fill({ items: [...items], ranks: items.map(this.#rankOf) });
  }

  /** Returns a new list of the items that `isIncluded` accepts. Their ranks are copied, not computed again. */
  filtered(isIncluded: (item: T) => boolean): SortedList<T> {
    this.mergeInserted();
    const included: RankedItems<T> = { items: [], ranks: [] };
    for (const { items, ranks } of this.#chunks) {
      for (let index = 0; index < items.length; index += 1) {
        const item = items[index] as T;
        if (!isIncluded(item)) continue;
        included.items.push(item);
        included.ranks.push(ranks[index] ?? 0);
      }
    }
    const list = new SortedList(this.#compare, this.#rankOf);
    list.#fill(included);
    return list;
  }

  /** Moves all newly inserted items to their positions in the chunks. Every read does this first. */
  mergeInserted(): void {
    const { items: arrivals, ranks: arrivedRanks } = this.#arrivals;
    if (arrivals.length === 0) return;
    if (arrivals.length > this.#placed * MERGE_SHARE) {
      const sorted = sortByRank(arrivals, Float64Array.from(arrivedRanks), this.#compare);
      const ranks = joinLists(this.#chunks.map((chunk) => chunk.ranks));
      this.#fill(mergeByRank({ items: this.#joined(), ranks }, sorted, this.#compare));
      return;
    }
    this.#arrivals = { items: [], ranks: [] };
    for (const item of arrivals) this.#addToChunk(item);
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
    return joinLists(this.#chunks.map(({ items }) => items));
  }

  #addToChunk(item: T): void {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push({ items: [item], ranks: [this.#rankOf(item)] });
    } else {
      const { items, ranks } = chunk;
      const position = this.#positionIn(chunk, item);
      items.splice(position, 0, item);
      ranks.splice(position, 0, this.#rankOf(item));
      if (items.length > CHUNK_MAX) {
        this.#chunks.splice(at + 1, 0, { items: items.splice(CHUNK_MAX >> 1), ranks: ranks.splice(CHUNK_MAX >> 1) });
      }
    }
    this.#placed += 1;
  }

  #removeFromChunks(item: T): boolean {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const position = this.#positionIn(chunk, item);
    if (chunk.items[position] !== item) return false;
    chunk.items.splice(position, 1);
    chunk.ranks.splice(position, 1);
    if (chunk.items.length === 0) this.#chunks.splice(at, 1);
    this.#placed -= 1;
    return true;
  }

  /**
   * Returns the index of the first chunk whose last item is not before `item`. If there is no such chunk, returns the
   * index of the last chunk.
   */
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

  /** Returns the first position in the chunk whose item does not come before `item`. */
  #positionIn(chunk: RankedItems<T>, item: T): number {
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

  /** Returns whether the item at a position of the chunk comes before `item`. */
  #isBefore({ items, ranks }: RankedItems<T>, position: number, item: T, rank: number): boolean {
    const placed = ranks[position] ?? 0;
    return placed === rank ? this.#compare(items[position] as T, item) < 0 : placed < rank;
  }
}

function joinLists<T>(parts: readonly (readonly T[])[]): T[] {
  // `concat` is several times as fast as `flat`, which checks each item.
  return ([] as T[]).concat(...parts);
}
