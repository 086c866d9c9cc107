/** Number of items that are sorted or merged in one step, which takes about a millisecond. */
const STEP_ITEMS = 1024;

/**
 * Sorts items in short steps. Each step ends with a `yield`, at which the caller can let other work run. Like
 * `toSorted`, it keeps the order of equal items.
 *
 * @returns a sorted copy
 */
export function* sortInChunks<Item>(
  items: readonly Item[],
  order: (a: Item, b: Item) => number,
): Generator<void, Item[], undefined> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += STEP_ITEMS) {
    runs.push(items.slice(start, start + STEP_ITEMS).toSorted(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], order));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  order: (a: Item, b: Item) => number,
): Generator<void, Item[], undefined> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length && atRight < right.length) {
    const isRightFirst = order(left[atLeft] as Item, right[atRight] as Item) > 0;
    merged.push((isRightFirst ? right[atRight++] : left[atLeft++]) as Item);
    if (merged.length % STEP_ITEMS === 0) yield;
  }
  for (; atLeft < left.length; atLeft++) merged.push(left[atLeft] as Item);
  for (; atRight < right.length; atRight++) merged.push(right[atRight] as Item);
  return merged;
}
