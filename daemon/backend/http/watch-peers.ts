import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import { startPaced } from '../store/loop-turn.ts';
import type { SlowPeers } from './slow-peers.ts';

/** Requests that one connection may send ahead: they wait until the answer to the one before was taken. */
const AHEAD_MAX = 100;
/** Most requests beyond `AHEAD_MAX` before the connection is cut: each takes some kilobytes, read or not. */
const REFUSED_MAX = 100;

/** Counts what each request and its answer keep in memory, before anything else is done about it. */
export function watchPeers(app: FastifyInstance, { slowPeers }: { readonly slowPeers: SlowPeers }): void {
  app.decorateRequest('peer');
  app.addHook('onRequest', (request, reply, done) => {
    const peer = slowPeers.of(request.raw.socket);
    request.peer = peer;
    if (peer === undefined) {
      startPaced(done);
      return;
    }
    const isTooMuch = peer.pending >= AHEAD_MAX;
    if (peer.pending >= AHEAD_MAX + REFUSED_MAX) {
      peer.socket.destroy();
      return;
    }
    peer.began(reply.raw, () => {
      startPaced(() => {
        // Nobody wants the answer any more.
        if (!peer.socket.destroyed) done(isTooMuch ? refusal() : undefined);
      });
    });
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.peer?.ended(reply.raw);
    done();
  });
}

function refusal(): MonError {
  return new MonError(
    'unavailable',
    `more than ${String(AHEAD_MAX)} requests wait on this connection: send fewer ahead`,
  );
}
