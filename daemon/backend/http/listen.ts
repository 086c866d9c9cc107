import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';
import type { MakeServer } from './http-server.ts';
import { listenProblem, type ListenAddress } from './listen-problem.ts';

/**
 * @param remedy what gives it another port, for people
 * @returns the URL where it listens
 * @throws MonError `conflict` when the port is taken, `invalid` when the address cannot be used
 */
export async function listen(
  app: FastifyInstance,
  { bind, port }: ListenAddress,
  makeServer: MakeServer,
  remedy = '--port',
): Promise<string> {
  try {
    const listening = await app.listen({ host: bind, port });
    // The framework does not know of what kind the server is that it was given.
    const url = app.server instanceof TlsServer ? listening.replace(/^http:/, 'https:') : listening;
    if (bind === 'localhost') await listenBeside(app, makeServer);
    return url;
  } catch (error) {
    throw listenProblem(error, { bind, port }, remedy);
  }
}

/** `localhost` is two addresses, and a server listens at one: another one listens where that does not. */
async function listenBeside(app: FastifyInstance, makeServer: MakeServer): Promise<void> {
  const { server } = app;
  const { address, port } = server.address() as AddressInfo;
  const beside = makeServer((request, response) => app.routing(request, response), { requireHostHeader: false });
  beside.on('upgrade', (...handshake) => server.emit('upgrade', ...handshake));
  server.once('close', () => {
    beside.close();
    beside.closeAllConnections();
  });
  beside.listen(port, address === '::1' ? '127.0.0.1' : '::1');
  // Not every machine has both.
  await once(beside, 'listening').catch(() => undefined);
}

/** How long requests under way may take when the backend stops (reliability 11). */
const DRAIN_MS = 3000;
/** A connection is kept for the next request, which will not come any more, for this long at most. */
const IDLE_MS = 50;

/** Takes no new requests and waits for those under way, but not for a client that never ends its own. */
export async function close(app: FastifyInstance, connections: Connections): Promise<void> {
  const { server } = app;
  // The framework does this once, at the beginning, when the connections with a request under way are not yet idle.
  const tidying = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const impatience = setTimeout(() => connections.cut(server), DRAIN_MS);
  await app.close();
  clearInterval(tidying);
  clearTimeout(impatience);
}
