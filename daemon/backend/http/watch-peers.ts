import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { startPaced } from '../store/time-slice.ts';
import type { SlowPeers } from './slow-peers.ts';

/** Maximum number of pipelined requests per connection: they wait until the previous response was sent. */
const AHEAD_MAX = 100;
/**
 * Maximum number of requests beyond `AHEAD_MAX` before the connection is cut: each takes some kilobytes, read or not.
 */
const REFUSED_MAX = 100;

/** The requests beyond `AHEAD_MAX`. */
const excessive = new WeakSet<IncomingMessage>();

/**
 * Processes the requests of each connection one after the other, and starts those of all connections for a few
 * milliseconds at a time. Nothing else is done for a request before its turn: thousands may arrive in one read.
 */
export function pacedRequests(answer: RequestListener, slowPeers: SlowPeers): RequestListener {
  return (request, response) => {
    const peer = slowPeers.of(request.socket);
    if (peer === undefined) {
      startPaced(() => answer(request, response));
      return;
    }
    // The connection is closed, so the response is no longer needed.
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

/** Gives each request its connection, and rejects the excessive ones. */
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
