import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { filterOf } from './filter.ts';
import { pageOf, queryOf } from './query.ts';

/** Items that are read and written at once; between chunks others get their turn. */
const CHUNK = 250;

/**
 * Answers a list: filtered, then paginated, so that a page is full and `total` counts what is wanted (completion 1.1).
 * Without a filter only the bodies of the page are read.
 *
 * @param entries all of them, in their order
 * @param options `isPaginated`: false for a list that is always given whole
 */
export async function sendList<Entry>(
  request: FastifyRequest,
  reply: FastifyReply,
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly unknown[]> | readonly unknown[],
  { isPaginated = true } = {},
): Promise<FastifyReply> {
  const query = queryOf(request);
  const page = isPaginated ? pageOf(query) : undefined;
  const filter = filterOf(query);
  const { offset, limit } = page ?? { offset: 0, limit: Infinity };

  const chunks: Buffer[] = [];
  let total = entries.length;
  if (filter === undefined) {
    await eachChunk(entries.slice(offset, offset + limit), read, (items) => addItems(chunks, items));
  } else {
    total = 0;
    await eachChunk(entries, read, (items) => {
      const matching = items.filter(filter);
      addItems(chunks, matching.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
      total += matching.length;
    });
    reply.header('X-Total-Unfiltered', String(entries.length));
  }
  if (page !== undefined) reply.header('X-Pagination', JSON.stringify({ ...page, total }));
  return sendChunks(reply, chunks);
}

async function eachChunk<Entry>(
  entries: readonly Entry[],
  read: (entries: readonly Entry[]) => Promise<readonly unknown[]> | readonly unknown[],
  take: (items: readonly unknown[]) => void,
): Promise<void> {
  for (let at = 0; at < entries.length; at += CHUNK) take(await read(entries.slice(at, at + CHUNK)));
}

function addItems(chunks: Buffer[], items: readonly unknown[]): void {
  if (items.length === 0) return;
  const text = items.map((item) => JSON.stringify(item)).join(',');
  chunks.push(Buffer.from(chunks.length === 0 ? text : `,${text}`));
}

/** In pieces, because all results of a large registry are longer than a string may be. */
function sendChunks(reply: FastifyReply, chunks: readonly Buffer[]): FastifyReply {
  const parts = [Buffer.from('['), ...chunks, Buffer.from(']')];
  reply.type('application/json');
  if (chunks.length <= 1) return reply.send(Buffer.concat(parts));
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return reply.header('Content-Length', String(length)).send(Readable.from(parts));
}
