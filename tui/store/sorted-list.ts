/** Chunks split beyond this: small enough to splice cheaply, large enough that 100,000 items are a few hundred chunks. */
const CHUNK_MAX = 1024;

/**
 * Items in order, with insertion and removal in the middle at the cost of one binary search and one short splice.
 *
 * @param compare a total order: two different items never compare as equal, and an item's place must not change while
 *   it is in the list (remove it, change it, insert it again)
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  #chunks: T[][] = [];
  #length = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  insert(item: T): void {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([item]);
    } else {
      chunk.splice(lowerBound(chunk, item, this.#compare), 0, item);
      if (chunk.length > CHUNK_MAX) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_MAX >> 1));
    }
    this.#length += 1;
  }

  /** @returns whether the item was there */
  remove(item: T): boolean {
    const at = this.#chunkFor(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const place = lowerBound(chunk, item, this.#compare);
    if (chunk[place] !== item) return false;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#length -= 1;
    return true;
  }

  /** @returns -1 when the item is not there */
  indexOf(item: T): number {
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
    return this.#chunks.flat();
  }

  /** Takes `items`, already in order, in place of everything. */
  replace(items: readonly T[]): void {
    this.#chunks = [];
    for (let start = 0; start < items.length; start += CHUNK_MAX >> 1) {
      this.#chunks.push(items.slice(start, start + (CHUNK_MAX >> 1)));
    }
    this.#length = items.length;
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
