import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Peer } from './peer.ts';

/** Maximum length, in characters, of a body that is sent as a whole, with its length in a header. */
export const BUFFERED_LENGTH_MAX = 256 * 1024;

/** Approximate length, in characters, of the chunks in which a longer body is sent. */
export const PIECE_LENGTH = 64 * 1024;

/**
 * Yields the text of a JSON array in chunks; each chunk is built when it is requested.
 *
 * @param texts items of the array as JSON; each element is a group of items
 */
export async function* arrayText(
  texts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<string, void> {
  let piece = '';
  let before = '[';
  for await (const some of texts) {
    if (some.length === 0) continue;
    piece += before + some.join(',');
    before = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${before === '[' ? '[' : ''}${piece}]`;
}

/**
 * Sends a JSON response in chunks. A short response is sent as a whole. A longer response is built only as fast as the
 * socket accepts it. An error that occurs before the first byte is sent becomes an error response. A later error closes
 * the connection, so that no client regards the response as complete.
 *
 * @param headers headers of the response; an error response does not get them
 */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncGenerator<string, void>,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const answer = (): FastifyReply => reply.type('application/json').headers(headers);
  const first: string[] = [];
  let length = 0;
  while (length <= BUFFERED_LENGTH_MAX) {
    const { done, value } = await pieces.next();
    if (done === true) return answer().send(first.join(''));
    first.push(value);
    length += value.length;
  }
  // A response to HEAD has no body, and the header with its length is optional (RFC 9110, 8.6).
  if (request.method === 'HEAD') {
    await pieces.return();
    return answer().send(Readable.from([]));
  }
  return answer().send(Readable.from(joinPieces(first, pieces, request.peer)));
}

async function* joinPieces(
  first: string[],
  remaining: AsyncGenerator<string, void>,
  peer: Peer | undefined,
): AsyncGenerator<string, void> {
  // The buffered chunks count as memory of the connection until they are sent, because the peer possibly does not read.
  for (const { length } of first) peer?.addBufferedBytes(length);
  try {
    for (let piece = first.shift(); piece !== undefined; piece = first.shift()) {
      peer?.addBufferedBytes(-piece.length);
      yield piece;
    }
    yield* remaining;
  } finally {
    await remaining.return();
  }
}
