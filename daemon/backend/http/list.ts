import type { FastifyReply, FastifyRequest } from 'fastify';
import { filterOf, type Filter } from './filter.ts';
import { readCommitted } from './hold-reads.ts';
import { LoopTurn } from '../store/loop-turn.ts';
import { arrayText, sendPieces, WHOLE_LENGTH_MAX } from './pieces.ts';
import { pageOf, queryOf, type Page } from './query.ts';

/**
 * Items that are read and written at once, when they are as usual. With items of a kilobyte the text of a portion is just
 * short enough for the engine to take its memory from what it has: longer ones cost a third more time.
 */
const PORTION = 100;

/** Nobody knows yet how long the first ones are. */
const FIRST_PORTION = 4;

/** Of longer items there are fewer in a portion. */
const PORTION_LENGTH = 128 * 1024;

/** What a list of entries takes in memory for each, as long as it is sent. */
const REFERENCE_BYTES = 8;

const EVERYTHING: Page = { offset: 0, limit: Infinity };

/**
 * Answers a list: filtered, then paginated, so that a page is full and `total` counts what is wanted (completion 1.1).
 * Without a filter only the bodies of the page are read, and of a long list only as much as the reader takes.
 *
 * @param entries all of them, in their order
 * @param options `where`: which items are wanted, beside what the query filters; `isPaginated`: false for a list that is
 *   always given whole; `pageMax`: the most items of one answer, also when no `limit` is asked for; `readTexts`: reads the
 *   items as JSON, where that is cheaper than `read` and nobody has to look into them
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
    const wanted = page === undefined ? entries : entries.slice(offset, offset + limit);
    const readCommittedTexts = (some: readonly Entry[]): Promise<readonly string[]> =>
      readCommitted(() => readTexts(some), committedState);
    return sendPieces(request, reply, arrayText(inPortions(wanted, readCommittedTexts)), paged(entries.length));
  }
  const unfiltered = { 'X-Total-Unfiltered': String(entries.length) };
  const found = (): AsyncGenerator<string, void> =>
    arrayText(inPortions(entries, matching(readCommittedItems, filter, { offset, limit })));
  if (page === undefined) return sendPieces(request, reply, found(), unfiltered);
  // How many there are is said before the first of them. A page that is too long to be kept until then is read again.
  const { total, texts } = await counted(entries, readCommittedItems, filter, page);
  const pieces = texts === undefined ? found() : arrayText([texts]);
  return sendPieces(request, reply, pieces, { ...unfiltered, ...paged(total) });
}

function both<Item>(one: Filter<Item> | undefined, other: Filter<Item> | undefined): Filter<Item> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (item) => one(item) && other(item);
}

/** Reads some entries, or the items of them: those that are there by now. */
type Read<Entry, Item> = (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[];

/** The entries as JSON. What follows a portion is read while it is sent, and no more. */
async function* inPortions<Entry>(
  entries: readonly Entry[],
  readTexts: (entries: readonly Entry[]) => Promise<readonly string[] | undefined>,
): AsyncGenerator<readonly string[], void> {
  let size = FIRST_PORTION;
  let end = Math.min(size, entries.length);
  let next = readTexts(entries.slice(0, end));
  const turn = new LoopTurn();
  for (let start = 0; start < entries.length;) {
    const texts = await next;
    if (texts === undefined) return;
    size = nextSize(size, texts);
    await turn.share();
    start = end;
    end = Math.min(start + size, entries.length);
    next = start < end ? readTexts(entries.slice(start, end)) : NOTHING;
    // It is only looked at if somebody wants it.
    next.catch(() => undefined);
    yield texts;
  }
}

const NOTHING = Promise.resolve(undefined);

/** How many make a portion, when so many made these texts. */
function nextSize(size: number, texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const fitting = length === 0 ? PORTION : Math.floor((size * PORTION_LENGTH) / length);
  return Math.max(1, Math.min(PORTION, FIRST_PORTION * size, fitting));
}

/** The items of a page that are wanted, as JSON; to be asked for all entries in their order. Undefined: the page is full. */
function matching<Entry, Item>(
  read: Read<Entry, Item>,
  filter: Filter<Item>,
  page: Page,
): (entries: readonly Entry[]) => Promise<readonly string[] | undefined> {
  let before = 0;
  return async (entries) => {
    if (before >= page.offset + page.limit) return undefined;
    const wanted = (await read(entries)).filter(filter);
    const texts = onPage(wanted, before, page).map((item) => JSON.stringify(item));
    before += wanted.length;
    return texts;
  };
}

/** How many items are wanted, and those of a page, unless they are long. */
async function counted<Entry, Item>(
  entries: readonly Entry[],
  read: Read<Entry, Item>,
  filter: Filter<Item>,
  page: Page,
): Promise<{ readonly total: number; readonly texts: readonly string[] | undefined }> {
  let total = 0;
  let length = 0;
  let texts: string[] = [];
  const turn = new LoopTurn();
  for (let at = 0; at < entries.length; at += PORTION) {
    const wanted = (await read(entries.slice(at, at + PORTION))).filter(filter);
    for (const item of length > WHOLE_LENGTH_MAX ? [] : onPage(wanted, total, page)) {
      const text = JSON.stringify(item);
      texts.push(text);
      length += text.length;
    }
    if (length > WHOLE_LENGTH_MAX) texts = [];
    total += wanted.length;
    await turn.share();
  }
  return { total, texts: length > WHOLE_LENGTH_MAX ? undefined : texts };
}

/** Those of some items that are on a page, behind so many others. */
function onPage<Item>(items: readonly Item[], before: number, { offset, limit }: Page): readonly Item[] {
  return items.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
}
