/** Items in order, and beside them what decides it first: a search reads neighbours in memory, not item after item. */
export interface RankedItems<T> {
  readonly items: T[];
  /** Smaller before larger. */
  readonly ranks: number[];
}

/** Of two different items never 0. It decides between items of the same rank. */
export type Compare<T> = (a: T, b: T) => number;

/**
 * All of `items` in order. Numbers alone are sorted without a call for each comparison, and each item finds the place of
 * its number; items are looked at only where several have the same rank.
 *
 * @param ranks of the items, in the order in which they came
 */
export function sortByRank<T>(items: readonly T[], ranks: Float64Array, compare: Compare<T>): RankedItems<T> {
  const inOrder = ranks.toSorted();
  /** Of each rank, at its first place: how many items have it. */
  const counts = new Uint32Array(items.length);
  const sorted = items.slice();
  for (let index = 0; index < items.length; index += 1) {
    const first = firstPlace(inOrder, ranks[index] ?? 0);
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

/** Two runs in order as one. */
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

/** The first place that is not before `rank`, which is among them. */
function firstPlace(inOrder: Float64Array, rank: number): number {
  let low = 0;
  let high = inOrder.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((inOrder[middle] ?? 0) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
