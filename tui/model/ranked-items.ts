/** Sorted items, and their ranks in a parallel array: a search reads adjacent numbers instead of item after item. */
export interface RankedItems<T> {
  readonly items: T[];
  /** The rank of each item, in ascending order. */
  readonly ranks: number[];
}

/** Compares items of the same rank. It returns 0 only for the same item. */
export type Compare<T> = (a: T, b: T) => number;

/**
 * Sorts items by rank. The ranks are sorted as plain numbers, and each item is put at the position of its rank.
 * `compare` is only called for items of the same rank.
 *
 * @param ranks the rank of each item, in the order of `items`
 */
export function sortByRank<T>(items: readonly T[], ranks: Float64Array, compare: Compare<T>): RankedItems<T> {
  const inOrder = ranks.toSorted();
  /** The number of items of each rank that were placed so far, stored at the first position of the rank. */
  const counts = new Uint32Array(items.length);
  const sorted = items.slice();
  for (let index = 0; index < items.length; index += 1) {
    const first = firstPosition(inOrder, ranks[index] ?? 0);
    const before = counts[first] ?? 0;
    sorted[first + before] = items[index] as T;
    counts[first] = before + 1;
  }
  for (let first = 0, count = 0; first < sorted.length; first += count) {
    count = counts[first] ?? 1;
    if (count > 1) sortPart(sorted, first, first + count, compare);
  }
  return { items: sorted, ranks: Array.from(inOrder) };
}

function sortPart<T>(items: T[], start: number, end: number, compare: Compare<T>): void {
  const part = items.slice(start, end).toSorted(compare);
  for (let index = start; index < end; index += 1) items[index] = part[index - start] as T;
}

/** Merges two sorted lists into one. */
export function mergeByRank<T>(one: RankedItems<T>, two: RankedItems<T>, compare: Compare<T>): RankedItems<T> {
  const items: T[] = [];
  const ranks: number[] = [];
  let at = 0;
  for (let index = 0; index < one.items.length; index += 1) {
    const item = one.items[index] as T;
    const rank = one.ranks[index] ?? 0;
    for (; at < two.items.length; at += 1) {
      const otherRank = two.ranks[at] ?? 0;
      const other = two.items[at] as T;
      if (otherRank > rank || (otherRank === rank && compare(item, other) < 0)) break;
      items.push(other);
      ranks.push(otherRank);
    }
    items.push(item);
    ranks.push(rank);
  }
  for (; at < two.items.length; at += 1) {
    items.push(two.items[at] as T);
    ranks.push(two.ranks[at] ?? 0);
  }
  return { items, ranks };
}

/** Returns the first index of `rank` in the sorted array, which must contain it. */
function firstPosition(inOrder: Float64Array, rank: number): number {
  let low = 0;
  let high = inOrder.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((inOrder[middle] ?? 0) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
