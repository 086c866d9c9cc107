import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Peer } from './peer.ts';

/** A body that is ready before it is longer than this is sent as a whole, with its length. */
export const WHOLE_LENGTH_MAX = 256 * 1024;

/** Pieces are made of items until they are about as long as this. */
export const PIECE_LENGTH = 64 * 1024;

/** The text of a JSON array in pieces, of which each is made when it is asked for. */
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
 * Answers with JSON in pieces. What is short, or fails early, is answered as a whole; of what is longer no more is made
 * than the socket takes, and a failure in the middle cuts the connection, so that nobody takes it for the whole.
 *
 * @param headers of the answer, unless it fails early
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
  while (length <= WHOLE_LENGTH_MAX) {
    const { done, value } = await pieces.next();
    if (done === true) return answer().send(first.join(''));
    first.push(value);
    length += value.length;
  }
  // Nobody reads the body of an answer to HEAD, and its length may be left out (RFC 9110, 8.6).
  if (request.method === 'HEAD') {
    await pieces.return();
    return answer().send(Readable.from([]));
  }
  return answer().send(Readable.from(joined(first, pieces, request.peer)));
}

async function* joined(
  first: string[],
  rest: AsyncGenerator<string, void>,
  peer: Peer | undefined,
): AsyncGenerator<string, void> {
  // The first ones wait for a reader that does not read.
  for (const { length } of first) peer?.hold(length);
  try {
    for (let piece = first.shift(); piece !== undefined; piece = first.shift()) {
      peer?.hold(-piece.length);
      yield piece;
    }
    yield* rest;
  } finally {
    await rest.return();
  }
}
