import type { FastifyReply, FastifyRequest } from 'fastify';
import { filterOf, type Filter } from './filter.ts';
import { readCommitted } from './hold-reads.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { arrayText, sendPieces, BUFFERED_LENGTH_MAX } from './pieces.ts';
import { pageOf, queryOf, type PageRange } from './query.ts';

/**
 * Maximum number of items per chunk. With items of a kilobyte the text of a chunk is just short enough for the engine
 * to reuse memory. Longer texts cost a third more time.
 */
const CHUNK_ITEMS_MAX = 100;

/** Size of the first chunk, because the length of the items is unknown. */
const FIRST_CHUNK_ITEMS = 4;

/** Maximum length of a chunk, so that it contains fewer long items. */
const CHUNK_LENGTH_MAX = 128 * 1024;

/** Memory per entry of a list while it is sent. */
const REFERENCE_BYTES = 8;

const EVERYTHING: PageRange = { offset: 0, limit: Infinity };

/**
 * Sends a list: filtered, then paginated, so that a page is full and `total` counts the selected items (completion
 * 1.1). Without a filter only the items of the page are read, and a long list is read only as fast as its reader
 * accepts it.
 *
 * @param entries all entries, in order
 * @param options `where`: selects items, in addition to the filters of the query; `isPaginated`: false for a list that
 *   is always sent whole; `pageMax`: the maximum number of items in a response, even without a `limit`; `readTexts`:
 *   reads the items as JSON, where that is cheaper than `read` and no filter needs them
 */
export async function sendList<Entry, Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  entries: readonly Entry[],
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
  request.peer?.hold(REFERENCE_BYTES * entries.length);
  const query = queryOf(request);
  const page = isPaginated ? pageOf(query, pageMax) : undefined;
  const filter = both(filterOf(query), where);
  const { offset, limit } = page ?? EVERYTHING;
  const paged = (total: number): Record<string, string> =>
    page === undefined ? {} : { 'X-Pagination': JSON.stringify({ ...page, total }) };

  const { committedState } = request.server;
  const readCommittedItems = (some: readonly Entry[]): Promise<readonly Item[]> =>
    readCommitted(async () => await read(some), committedState);
  if (filter === undefined) {
    const pageEntries = page === undefined ? entries : entries.slice(offset, offset + limit);
    const readCommittedTexts = (some: readonly Entry[]): Promise<readonly string[]> =>
      readCommitted(() => readTexts(some), committedState);
    return sendPieces(request, reply, arrayText(readInChunks(pageEntries, readCommittedTexts)), paged(entries.length));
  }
  const unfiltered = { 'X-Total-Unfiltered': String(entries.length) };
  const matchingPieces = (): AsyncGenerator<string, void> =>
    arrayText(readInChunks(entries, matching(readCommittedItems, filter, { offset, limit })));
  if (page === undefined) return sendPieces(request, reply, matchingPieces(), unfiltered);
  // The total is in a header, before the first item. A page that is too long to be kept until then is read again.
  const { total, texts } = await counted(entries, readCommittedItems, filter, page);
  const pieces = texts === undefined ? matchingPieces() : arrayText([texts]);
  return sendPieces(request, reply, pieces, { ...unfiltered, ...paged(total) });
}

function both<Item>(one: Filter<Item> | undefined, other: Filter<Item> | undefined): Filter<Item> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (item) => one(item) && other(item);
}

/** Reads entries, and returns the items that exist by now. */
type Read<Entry, Item> = (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[];

/** Yields the entries as JSON. The next chunk is read while the present one is sent, but no more. */
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
    next = start < end ? readTexts(entries.slice(start, end)) : NOTHING;
    // The next chunk is awaited only if the reader requests it.
    next.catch(() => undefined);
    yield texts;
  }
}

const NOTHING = Promise.resolve(undefined);

/** Returns the size of the next chunk, from the size and texts of the present one. */
function nextSize(size: number, texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const fitting = length === 0 ? CHUNK_ITEMS_MAX : Math.floor((size * CHUNK_LENGTH_MAX) / length);
  return Math.max(1, Math.min(CHUNK_ITEMS_MAX, FIRST_CHUNK_ITEMS * size, fitting));
}

/**
 * Returns a function that reads the selected items of a page as JSON; call it for all entries in order. Undefined: the
 * page is full.
 */
function matching<Entry, Item>(
  read: Read<Entry, Item>,
  filter: Filter<Item>,
  page: PageRange,
): (entries: readonly Entry[]) => Promise<readonly string[] | undefined> {
  let before = 0;
  return async (entries) => {
    if (before >= page.offset + page.limit) return undefined;
    const selectedItems = (await read(entries)).filter(filter);
    const texts = onPage(selectedItems, before, page).map((item) => JSON.stringify(item));
    before += selectedItems.length;
    return texts;
  };
}

/** Counts the selected items, and returns those of a page unless they are long. */
async function counted<Entry, Item>(
  entries: readonly Entry[],
  read: Read<Entry, Item>,
  filter: Filter<Item>,
  page: PageRange,
): Promise<{ readonly total: number; readonly texts: readonly string[] | undefined }> {
  let total = 0;
  let length = 0;
  let texts: string[] = [];
  const timeSlice = new TimeSlice();
  for (let at = 0; at < entries.length; at += CHUNK_ITEMS_MAX) {
    const selectedItems = (await read(entries.slice(at, at + CHUNK_ITEMS_MAX))).filter(filter);
    for (const item of length > BUFFERED_LENGTH_MAX ? [] : onPage(selectedItems, total, page)) {
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

/** Returns the items that are on a page, given the number of items before them. */
function onPage<Item>(items: readonly Item[], before: number, { offset, limit }: PageRange): readonly Item[] {
  return items.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
}
