import type { Key, Store } from '../ports.ts';
import { idFromReversed, reverseId } from '../model/timeline/storage.ts';

type ReadStore = Pick<Store, 'scan'>;

/**
 * A range of keys with the same prefix, in the timeline or in one of its indexes. Each key ends with a reversed id, so
 * that the newest key comes first.
 */
export interface Source {
  readonly namespace: string;
  readonly prefix: Key;
}

/** An entry of a source (a key range of the timeline): its id and its stored value. */
export interface SourceEntry {
  readonly source: Source;
  readonly id: number;
  readonly text: string;
}

/** Number of entries in the first page of a source; usually no second page is needed. */
const FIRST_PAGE_ENTRIES = 100;

/** Maximum number of entries in later pages. Large pages are read several times faster than small pages. */
const PAGE_MAX = 1000;

/** Maximum number of entries in memory, for all sources together. */
const ENTRIES_MAX = 20_000;

/**
 * Yields the distinct names that follow a prefix in keys. Reads only the first key of each name and skips the others.
 */
export async function* distinctNamesBelow(store: ReadStore, prefix: Key): AsyncGenerator<string, void> {
  let after: Key | undefined;
  for (;;) {
    let name: string | undefined;
    for await (const [key] of store.scan(prefix, { ...(after && { after }), limit: 1 })) {
      name = String(key[prefix.length]);
      // Continues after all keys that begin with this name. They sort before `name` followed by U+0000, and no other
      // name sorts between them.
      after = [...prefix, `${name}\0`];
    }
    if (name === undefined) return;
    yield name;
  }
}

/** Yields the entries of a source whose id is lower than `beforeId`, newest first. */
export async function* newestEntriesOf(
  store: ReadStore,
  source: Source,
  beforeId: number,
): AsyncGenerator<SourceEntry, void> {
  for await (const page of pagesDown(store, source, beforeId)) yield* page;
}

/**
 * Yields the entries of several sources, merged in order, newest first. Each array contains some entries. @yields
 * nonempty arrays
 */
export async function* newestOf(
  store: ReadStore,
  sources: readonly Source[],
  beforeId: number,
): AsyncGenerator<readonly SourceEntry[], void> {
  const heads: SourceHead[] = [];
  for (const source of sources) {
    const pages = pagesDown(store, source, beforeId, Math.floor(ENTRIES_MAX / sources.length));
    const { value: page } = await pages.next();
    if (page !== undefined) heads.push({ pages, page, at: 0 });
  }
  while (heads.length > 0) {
    const { entries, ended } = mergePages(heads);
    yield entries;
    const { value: page } = await ended.pages.next();
    if (page === undefined) heads.splice(heads.indexOf(ended), 1);
    else Object.assign(ended, { page, at: 0 });
  }
}

/** The reading position in a source: its current page, and the index of the next entry in that page. */
interface SourceHead {
  readonly pages: AsyncGenerator<readonly SourceEntry[], void>;
  page: readonly SourceEntry[];
  at: number;
}

/**
 * Returns the newest entries of all current pages, until one page has no entries left. The next page of that source can
 * contain newer entries than the current pages of the other sources.
 */
function mergePages(heads: readonly SourceHead[]): {
  readonly entries: readonly SourceEntry[];
  readonly ended: SourceHead;
} {
  const entries: SourceEntry[] = [];
  for (;;) {
    const { newest, others } = newestHead(heads);
    // Takes entries from the same source as long as they are the newest, because usually several of them are.
    for (;;) {
      const one = newest.page[newest.at];
      if (one === undefined) return { entries, ended: newest };
      if (one.id < others) break;
      entries.push(one);
      newest.at++;
    }
  }
}

/** Returns the source whose next entry is the newest, and the newest id among the next entries of the other sources. */
function newestHead(heads: readonly SourceHead[]): { readonly newest: SourceHead; readonly others: number } {
  let newest: SourceHead | undefined;
  let [most, others] = [-Infinity, -Infinity];
  for (const head of heads) {
    const id = head.page[head.at]?.id ?? -Infinity;
    if (newest !== undefined && id <= most) others = Math.max(others, id);
    else [newest, most, others] = [head, id, most];
  }
  if (newest === undefined) throw new Error('internal error: there are no timelines to merge');
  return { newest, others };
}

/**
 * Yields the entries of a source whose id is lower than `beforeId`, newest first, as pages of increasing size.
 *
 * @param most maximum number of entries in a page; the first page can always have `FIRST_PAGE_ENTRIES` entries
 * @yields nonempty arrays
 */
async function* pagesDown(
  store: ReadStore,
  source: Source,
  beforeId: number,
  most = PAGE_MAX,
): AsyncGenerator<readonly SourceEntry[], void> {
  let after: Key = [...source.prefix, reverseId(beforeId)];
  for (let limit = FIRST_PAGE_ENTRIES; ; limit = Math.min(2 * limit, PAGE_MAX, Math.max(FIRST_PAGE_ENTRIES, most))) {
    const page: SourceEntry[] = [];
    for await (const [key, text] of store.scan(source.prefix, { after, limit })) {
      after = key;
      page.push({ source, id: idFromReversed(Number(key.at(-1))), text });
    }
    if (page.length > 0) yield page;
    if (page.length < limit) return;
  }
}
