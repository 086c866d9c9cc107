import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { startPaced } from '../store/time-slice.ts';
import type { SlowPeers } from './slow-peers.ts';

/**
 * Maximum number of pipelined requests per connection; each waits until the previous response was sent. Further
 * requests are rejected.
 */
const AHEAD_MAX = 100;
/**
 * Number of requests beyond `AHEAD_MAX` that are rejected one by one. After that the connection is closed, because each
 * rejected request still uses some kilobytes of memory.
 */
const REFUSED_MAX = 100;

/** The requests beyond `AHEAD_MAX`; they will be rejected. */
const excessiveRequests = new WeakSet<IncomingMessage>();

/**
 * Returns a listener that processes the requests of each connection one at a time. Requests of all connections start in
 * chunks of a few milliseconds, between which other work can run. Nothing else is done for a request before it starts,
 * because one read can contain thousands of requests.
 */
export function pacedRequests(answer: RequestListener, slowPeers: SlowPeers): RequestListener {
  return (request, response) => {
    const peer = slowPeers.peerOf(request.socket);
    if (peer === undefined) {
      startPaced(() => answer(request, response));
      return;
    }
    // The connection is closed, so no client reads the response.
    if (peer.socket.destroyed) return;
    const isTooMuch = peer.pending >= AHEAD_MAX;
    if (peer.pending >= AHEAD_MAX + REFUSED_MAX) {
      peer.socket.destroy();
      return;
    }
    if (isTooMuch) excessiveRequests.add(request);
    peer.beginRequest(response, () => {
      startPaced(() => {
        if (peer.socket.destroyed) return;
        response.once('close', () => peer.endRequest(response));
        answer(request, response);
      });
    });
  };
}

/**
 * Adds a hook that sets the property `peer` of each request to its connection, and rejects the requests beyond
 * `AHEAD_MAX`.
 */
export function watchPeers(app: FastifyInstance, { slowPeers }: { readonly slowPeers: SlowPeers }): void {
  app.decorateRequest('peer');
  app.addHook('onRequest', (request, _reply, done) => {
    request.peer = slowPeers.peerOf(request.raw.socket);
    done(excessiveRequests.has(request.raw) ? tooManyRequestsError() : undefined);
  });
}

function tooManyRequestsError(): MonError {
  return new MonError(
    'unavailable',
    `more than ${String(AHEAD_MAX)} requests are pipelined on this connection: send fewer at once`,
  );
}
