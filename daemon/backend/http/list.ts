import type { FastifyReply, FastifyRequest } from 'fastify';
import { filterOf, type Filter } from './filter.ts';
import { readCommitted } from './hold-reads.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { arrayText, sendPieces, BUFFERED_LENGTH_MAX } from './pieces.ts';
import { pageOf, queryOf, type PageRange } from './query.ts';

/**
 * Maximum number of items per chunk. With items of one kilobyte, the text of a chunk is just short enough for the
 * JavaScript engine to reuse its memory; longer texts take a third more time.
 */
const CHUNK_ITEMS_MAX = 100;

/** Number of items in the first chunk. It is low, because the length of the items is not known yet. */
const FIRST_CHUNK_ITEMS = 4;

/** Maximum length of a chunk, in characters: a chunk contains fewer items if they are long. */
const CHUNK_LENGTH_MAX = 128 * 1024;

/** Memory that a list uses for each of its entries while it is sent, in bytes. */
const REFERENCE_BYTES = 8;

const UNLIMITED_RANGE: PageRange = { offset: 0, limit: Infinity };

/**
 * The entries of a list, in order: an array, or a source that finds the entries of a page without building the whole
 * array.
 */
export interface Listing<Entry> {
  readonly length: number;
  /** Returns the entries from position `start` up to but not including `end`. */
  slice(start: number, end: number): readonly Entry[];
}

/**
 * Returns the number of entries from the beginning of a list that `sendList` reads for a request. It is infinite
 * without a page, and with a filter, for which all entries are read.
 */
export function neededEntries(request: FastifyRequest): number {
  const query = queryOf(request);
  const page = pageOf(query);
  return page === undefined || filterOf(query) !== undefined ? Infinity : page.offset + page.limit;
}

/**
 * Sends a list, which is filtered first and then paginated. So a page is full, and `total` is the number of items after
 * filtering (completion 1.1). Without a filter only the items of the page are read. A long list is read only as fast as
 * the client accepts it.
 *
 * @param entries all entries, in order
 * @param read callback that returns the items for some of the entries
 * @param options `where`: selects items, in addition to the filters of the query; `isPaginated`: false for a list that
 *   is always sent whole; `pageMax`: maximum number of items in a response, even without a `limit`; `readTexts`: reads
 *   items as JSON where that is cheaper than `read`, used only without filters
 */
export async function sendList<Entry, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  entries: Listing<Entry>,
  read: (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[],
  {
    where,
    isPaginated = true,
    pageMax = Infinity,
    readTexts = async (some) => (await read(some)).map((item) => JSON.stringify(item)),
  }: {
    readonly where?: Filter<Item> | undefined;
    readonly isPaginated?: boolean;
    readonly pageMax?: number;
    readonly readTexts?: (entries: readonly Entry[]) => Promise<readonly string[]>;
  } = {},
): Promise<FastifyReply> {
  const query = queryOf(request);
  const page = isPaginated ? pageOf(query, pageMax) : undefined;
  const filter = combineFilters(filterOf(query), where);
  const { offset, limit } = page ?? UNLIMITED_RANGE;
  const paged = (total: number): Record<string, string> =>
    page === undefined ? {} : { 'X-Pagination': JSON.stringify({ ...page, total }) };

  const { committedState } = request.server;
  const readCommittedItems = (some: readonly Entry[]): Promise<readonly Item[]> =>
    readCommitted(async () => await read(some), committedState);
  if (filter === undefined) {
    const pageEntries = page === undefined ? allEntries(entries) : entries.slice(offset, offset + limit);
    request.peer?.addBufferedBytes(REFERENCE_BYTES * pageEntries.length);
    const readCommittedTexts = (some: readonly Entry[]): Promise<readonly string[]> =>
      readCommitted(() => readTexts(some), committedState);
    return sendPieces(request, reply, arrayText(readInChunks(pageEntries, readCommittedTexts)), paged(entries.length));
  }
  const all = allEntries(entries);
  request.peer?.addBufferedBytes(REFERENCE_BYTES * all.length);
  const unfiltered = { 'X-Total-Unfiltered': String(all.length) };
  const matchingPieces = (): AsyncGenerator<string, void> =>
    arrayText(readInChunks(all, readMatchingItems(readCommittedItems, filter, { offset, limit })));
  if (page === undefined) return sendPieces(request, reply, matchingPieces(), unfiltered);
  // The total is sent in a header, so all items are counted before the first item is sent. A page that is too long to
  // be buffered during the count is read a second time.
  const { total, texts } = await countAndSelect(all, readCommittedItems, filter, page);
  const pieces = texts === undefined ? matchingPieces() : arrayText([texts]);
  return sendPieces(request, reply, pieces, { ...unfiltered, ...paged(total) });
}

function allEntries<Entry>(entries: Listing<Entry>): readonly Entry[] {
  return Array.isArray(entries) ? (entries as readonly Entry[]) : entries.slice(0, entries.length);
}

function combineFilters<Item>(
  one: Filter<Item> | undefined,
  other: Filter<Item> | undefined,
): Filter<Item> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (item) => one(item) && other(item);
}

/** Reads the items for some entries, and returns the items that still exist. */
type ReadItems<Entry, Item> = (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[];

/** Yields the items for the entries as JSON, in chunks. While a chunk is sent, only the next chunk is read ahead. */
async function* readInChunks<Entry>(
  entries: readonly Entry[],
  readTexts: (entries: readonly Entry[]) => Promise<readonly string[] | undefined>,
): AsyncGenerator<readonly string[], void> {
  let size = FIRST_CHUNK_ITEMS;
  let end = Math.min(size, entries.length);
  let next = readTexts(entries.slice(0, end));
  const timeSlice = new TimeSlice();
  for (let start = 0; start < entries.length;) {
    const texts = await next;
    if (texts === undefined) return;
    size = nextSize(size, texts);
    await timeSlice.share();
    start = end;
    end = Math.min(start + size, entries.length);
    next = start < end ? readTexts(entries.slice(start, end)) : NO_TEXTS;
    // If reading the next chunk fails, the error is thrown when the consumer requests that chunk. Until then the
    // rejection must not count as unhandled.
    next.catch(() => undefined);
    yield texts;
  }
}

const NO_TEXTS = Promise.resolve(undefined);

/** Returns the number of entries to read for the next chunk, given the number and the texts of the current chunk. */
function nextSize(size: number, texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const fitting = length === 0 ? CHUNK_ITEMS_MAX : Math.floor((size * CHUNK_LENGTH_MAX) / length);
  return Math.max(1, Math.min(CHUNK_ITEMS_MAX, FIRST_CHUNK_ITEMS * size, fitting));
}

/**
 * Returns a function that reads a chunk of entries, and returns as JSON the items that match the filter and are on the
 * page. Call it for all chunks in order. It returns undefined once the page is full.
 */
function readMatchingItems<Entry, Item>(
  read: ReadItems<Entry, Item>,
  filter: Filter<Item>,
  page: PageRange,
): (entries: readonly Entry[]) => Promise<readonly string[] | undefined> {
  let before = 0;
  return async (entries) => {
    if (before >= page.offset + page.limit) return undefined;
    const selectedItems = (await read(entries)).filter(filter);
    const texts = itemsOnPage(selectedItems, before, page).map((item) => JSON.stringify(item));
    before += selectedItems.length;
    return texts;
  };
}

/**
 * Counts all items that match the filter, and returns the matching items of a page as JSON; `texts` is undefined if
 * they are too long to be buffered.
 */
async function countAndSelect<Entry, Item>(
  entries: readonly Entry[],
  read: ReadItems<Entry, Item>,
  filter: Filter<Item>,
  page: PageRange,
): Promise<{ readonly total: number; readonly texts: readonly string[] | undefined }> {
  let total = 0;
  let length = 0;
  let texts: string[] = [];
  const timeSlice = new TimeSlice();
  for (let at = 0; at < entries.length; at += CHUNK_ITEMS_MAX) {
    const selectedItems = (await read(entries.slice(at, at + CHUNK_ITEMS_MAX))).filter(filter);
    for (const item of length > BUFFERED_LENGTH_MAX ? [] : itemsOnPage(selectedItems, total, page)) {
      const text = JSON.stringify(item);
      texts.push(text);
      length += text.length;
    }
    if (length > BUFFERED_LENGTH_MAX) texts = [];
    total += selectedItems.length;
    await timeSlice.share();
  }
  return { total, texts: length > BUFFERED_LENGTH_MAX ? undefined : texts };
}

/**
 * Returns those of the matching items that are on a page.
 *
 * @param before number of matching items that precede `items` in the list
 */
function itemsOnPage<Item>(items: readonly Item[], before: number, { offset, limit }: PageRange): readonly Item[] {
  return items.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
}
