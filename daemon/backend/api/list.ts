import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { filterOf } from './filter.ts';
import { pageOf, queryOf } from './query.ts';

/**
 * Items that are read and written at once; between chunks others get their turn. With items of a kilobyte the text of a
 * chunk is just short enough for the engine to take its memory from what it has: longer ones cost a third more time.
 */
const CHUNK = 100;

/**
 * Answers a list: filtered, then paginated, so that a page is full and `total` counts what is wanted (completion 1.1).
 * Without a filter only the bodies of the page are read.
 *
 * @param entries all of them, in their order
 * @param options `isPaginated`: false for a list that is always given whole; `pageMax`: the most items of one answer, also
 *   when no `limit` is asked for; `readTexts`: reads the items as JSON, where
 *   that is cheaper than `read` and nobody has to look into them
 */
export async function sendList<Entry>(
  request: FastifyRequest,
  reply: FastifyReply,
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly unknown[]> | readonly unknown[],
  {
    isPaginated = true,
    pageMax = Infinity,
    readTexts = async (some) => (await read(some)).map((item) => JSON.stringify(item)),
  }: {
    readonly isPaginated?: boolean;
    readonly pageMax?: number;
    readonly readTexts?: (entries: readonly Entry[]) => Promise<readonly string[]>;
  } = {},
): Promise<FastifyReply> {
  const query = queryOf(request);
  const page = isPaginated ? pageOf(query, pageMax) : undefined;
  const filter = filterOf(query);
  const { offset, limit } = page ?? { offset: 0, limit: Infinity };

  const chunks: string[] = [];
  let total = entries.length;
  if (filter === undefined) {
    await eachChunk(entries.slice(offset, offset + limit), readTexts, (texts) => addTexts(chunks, texts));
  } else {
    total = 0;
    await eachChunk(entries, read, (items) => {
      const matching = items.filter(filter);
      const onPage = matching.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total));
      addTexts(
        chunks,
        onPage.map((item) => JSON.stringify(item)),
      );
      total += matching.length;
    });
    reply.header('X-Total-Unfiltered', String(entries.length));
  }
  if (page !== undefined) reply.header('X-Pagination', JSON.stringify({ ...page, total }));
  return sendChunks(reply, chunks);
}

async function eachChunk<Entry, Item>(
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[],
  take: (items: readonly Item[]) => void,
): Promise<void> {
  let next = readChunk(entries, 0, read);
  for (let at = 0; at < entries.length; at += CHUNK) {
    const chunk = next;
    // The store reads the next one while this one is made into an answer.
    next = readChunk(entries, at + CHUNK, read);
    // It is only looked at if this one does not fail.
    next.catch(() => undefined);
    take(await chunk);
  }
}

async function readChunk<Entry, Item>(
  entries: readonly Entry[],
  start: number,
  read: (entries: readonly Entry[]) => Promise<readonly Item[]> | readonly Item[],
): Promise<readonly Item[]> {
  return start < entries.length ? read(entries.slice(start, start + CHUNK)) : [];
}

function addTexts(chunks: string[], texts: readonly string[]): void {
  if (texts.length === 0) return;
  const text = texts.join(',');
  chunks.push(chunks.length === 0 ? text : `,${text}`);
}

/**
 * In pieces, because all results of a large registry are longer than a string may be. They stay text until the socket
 * takes them: bytes of their own would cost another copy of everything.
 */
export function sendChunks(reply: FastifyReply, chunks: readonly string[]): FastifyReply {
  reply.type('application/json');
  if (chunks.length <= 1) return reply.send(`[${chunks[0] ?? ''}]`);
  const parts = ['[', ...chunks, ']'];
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  return reply.header('Content-Length', String(length)).send(Readable.from(parts));
}
