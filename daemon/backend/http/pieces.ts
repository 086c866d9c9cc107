import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Peer } from './peer.ts';

/** Maximum length of a body that is sent as a whole, with its length. */
export const BUFFERED_LENGTH_MAX = 256 * 1024;

/** Approximate length of the chunks of a longer body. */
export const PIECE_LENGTH = 64 * 1024;

/** Yields the text of a JSON array in chunks, each built when it is requested. */
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
 * Sends JSON in chunks. A short or early failing response is sent as a whole. A longer one is built only as fast as the
 * socket accepts it. A failure in the middle cuts the connection, so that no client takes it for complete.
 *
 * @param headers of the response, unless it fails early
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
  // A response to HEAD has no body, and its length may be omitted (RFC 9110, 8.6).
  if (request.method === 'HEAD') {
    await pieces.return();
    return answer().send(Readable.from([]));
  }
  return answer().send(Readable.from(joined(first, pieces, request.peer)));
}

async function* joined(
  first: string[],
  remaining: AsyncGenerator<string, void>,
  peer: Peer | undefined,
): AsyncGenerator<string, void> {
  // The first chunks may wait for a reader that does not read.
  for (const { length } of first) peer?.hold(length);
  try {
    for (let piece = first.shift(); piece !== undefined; piece = first.shift()) {
      peer?.hold(-piece.length);
      yield piece;
    }
    yield* remaining;
  } finally {
    await remaining.return();
  }
}
