/** Chunks split beyond this: small enough to splice cheaply, large enough that 100,000 items are a few hundred chunks. */
const CHUNK_MAX = 1024;

/** From this share of the list on, merging all arrivals is cheaper than finding the place of each. */
const MERGE_SHARE = 1 / 16;

/**
 * Items in order, with insertion and removal in the middle at the cost of one binary search and one short splice. What
 * was inserted gets its place when somebody looks, so that a whole registry that arrives at once is sorted once.
 *
 * @param compare a total order: two different items never compare as equal, and an item's place must not change while
 *   it is in the list (remove it, change it, insert it again)
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  #chunks: T[][] = [];
  /** Of the items in chunks. */
  #placed = 0;
  /** Inserted, and without a place yet. */
  readonly #arrivals = new Set<T>();

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#placed + this.#arrivals.size;
  }

  insert(item: T): void {
    this.#arrivals.add(item);
  }

  /** @returns whether the item was there */
  remove(item: T): boolean {
    return this.#arrivals.delete(item) || this.#take(item);
  }

  /** @returns -1 when the item is not there */
  indexOf(item: T): number {
    this.settle();
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return -1;
    const place = lowerBound(chunk, item, this.#compare);
    if (chunk[place] !== item) return -1;
    let before = 0;
    for (let index = 0; index < at; index += 1) before += this.#chunks[index]?.length ?? 0;
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
      if (before + chunk.length > start) items.push(...chunk.slice(Math.max(0, start - before), end - before));
      before += chunk.length;
    }
    return items;
  }

  toArray(): T[] {
    this.settle();
    return this.#joined();
  }

  /** Takes `items`, already in order, in place of everything. */
  replace(items: readonly T[]): void {
    this.#chunks = [];
    for (let start = 0; start < items.length; start += CHUNK_MAX >> 1) {
      this.#chunks.push(items.slice(start, start + (CHUNK_MAX >> 1)));
    }
    this.#placed = items.length;
    this.#arrivals.clear();
  }

  /** Gives every arrival its place, as every look does. */
  settle(): void {
    if (this.#arrivals.size === 0) return;
    const arrivals = [...this.#arrivals];
    if (arrivals.length > this.#placed * MERGE_SHARE) {
      // Two runs in order, which sorting merges in one pass.
      this.replace(this.#joined().concat(arrivals.toSorted(this.#compare)).toSorted(this.#compare));
      return;
    }
    this.#arrivals.clear();
    for (const item of arrivals) this.#place(item);
  }

  #joined(): T[] {
    // Several times as fast as `flat`, which looks at each item.
    return ([] as T[]).concat(...this.#chunks);
  }

  #place(item: T): void {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([item]);
    } else {
      chunk.splice(lowerBound(chunk, item, this.#compare), 0, item);
      if (chunk.length > CHUNK_MAX) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_MAX >> 1));
    }
    this.#placed += 1;
  }

  #take(item: T): boolean {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const place = lowerBound(chunk, item, this.#compare);
    if (chunk[place] !== item) return false;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#placed -= 1;
    return true;
  }

  /** The first chunk whose last item is not before `item`, or the last chunk. */
  #chunkFor(item: T): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle] ?? [];
      if (this.#compare(chunk[chunk.length - 1] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function lowerBound<T>(items: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(items[middle] as T, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
