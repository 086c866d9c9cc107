/** Objects that are made at a time; between portions others get their turn, and what follows a page is never made. */
const PORTION = 100;

/**
 * The entries behind a key, in portions.
 *
 * @param entries in the order of their keys
 * @param after undefined: from the first
 */
export function* portionsBehind<Entry>(
  entries: readonly Entry[],
  after: string | undefined,
  keyOf: (entry: Entry) => string,
): Generator<readonly Entry[]> {
  const start = after === undefined ? 0 : firstBehind(entries, after, keyOf);
  for (let at = start; at < entries.length; at += PORTION) yield entries.slice(at, at + PORTION);
}

/** Where the entries begin whose keys are greater. */
export function firstBehind<Entry>(entries: readonly Entry[], after: string, keyOf: (entry: Entry) => string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && keyOf(entry) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
