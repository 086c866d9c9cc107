import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { startPaced } from '../store/loop-turn.ts';
import type { SlowPeers } from './slow-peers.ts';

/** Requests that one connection may send ahead: they wait until the answer to the one before was taken. */
const AHEAD_MAX = 100;
/** Most requests beyond `AHEAD_MAX` before the connection is cut: each takes some kilobytes, read or not. */
const REFUSED_MAX = 100;

/** The requests beyond `AHEAD_MAX`. */
const excessive = new WeakSet<IncomingMessage>();

/**
 * Has the requests of each connection answered one after the other, and those of all connections started a few
 * milliseconds at a time. Nothing else is done about a request before its turn: thousands may come in one reading.
 */
export function pacedRequests(answer: RequestListener, slowPeers: SlowPeers): RequestListener {
  return (request, response) => {
    const peer = slowPeers.of(request.socket);
    if (peer === undefined) {
      startPaced(() => answer(request, response));
      return;
    }
    // Nobody wants the answer any more.
    if (peer.socket.destroyed) return;
    const isTooMuch = peer.pending >= AHEAD_MAX;
    if (peer.pending >= AHEAD_MAX + REFUSED_MAX) {
      peer.socket.destroy();
      return;
    }
    if (isTooMuch) excessive.add(request);
    peer.began(response, () => {
      startPaced(() => {
        if (peer.socket.destroyed) return;
        response.once('close', () => peer.ended(response));
        answer(request, response);
      });
    });
  };
}

/** Gives each request its connection, and refuses those that are too many. */
export function watchPeers(app: FastifyInstance, { slowPeers }: { readonly slowPeers: SlowPeers }): void {
  app.decorateRequest('peer');
  app.addHook('onRequest', (request, _reply, done) => {
    request.peer = slowPeers.of(request.raw.socket);
    done(excessive.has(request.raw) ? refusal() : undefined);
  });
}

function refusal(): MonError {
  return new MonError(
    'unavailable',
    `more than ${String(AHEAD_MAX)} requests are pipelined on this connection: send fewer at once`,
  );
}
