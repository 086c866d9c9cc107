/**
 * Number of objects per chunk. Other work can run between two chunks, and objects after the end of a page are never
 * built.
 */
const CHUNK_SIZE = 100;

/**
 * Yields the entries after a key, in chunks.
 *
 * @param entries entries in the order of their keys
 * @param after key after which the entries begin; if undefined, they begin with the first entry
 */
export function* chunksAfterKey<Entry>(
  entries: readonly Entry[],
  after: string | undefined,
  keyOf: (entry: Entry) => string,
): Generator<readonly Entry[]> {
  const start = after === undefined ? 0 : firstIndexAfter(entries, after, keyOf);
  for (let at = start; at < entries.length; at += CHUNK_SIZE) yield entries.slice(at, at + CHUNK_SIZE);
}

/** Returns the index of the first entry with a key greater than `after`; the number of entries if there is none. */
export function firstIndexAfter<Entry>(
  entries: readonly Entry[],
  after: string,
  keyOf: (entry: Entry) => string,
): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && keyOf(entry) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
