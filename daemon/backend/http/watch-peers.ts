import type { FastifyInstance } from 'fastify';
import { MonError } from '../../../shared/errors.ts';
import type { SlowPeers } from './slow-peers.ts';

/** Requests that one connection may send ahead: each is worked on, and the answers wait for each other. */
const AHEAD_MAX = 100;

/** Counts what each request and its answer keep in memory, before anything else is done about it. */
export function watchPeers(app: FastifyInstance, { slowPeers }: { readonly slowPeers: SlowPeers }): void {
  app.decorateRequest('peer');
  app.addHook('onRequest', (request, reply, done) => {
    const peer = slowPeers.of(request.raw.socket);
    request.peer = peer;
    peer?.began(reply.raw);
    if (peer === undefined || peer.pending <= AHEAD_MAX) done();
    else
      done(
        new MonError(
          'unavailable',
          `more than ${String(AHEAD_MAX)} requests wait on this connection: send fewer ahead`,
        ),
      );
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.peer?.ended(reply.raw);
    done();
  });
}
