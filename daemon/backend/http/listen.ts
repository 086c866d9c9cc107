import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as rest, setTimeout as delay } from 'node:timers/promises';
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

/**
 * Takes no new requests and waits for those under way, but not for a client that never ends its own.
 *
 * @param lastAnswersMs for how long kept connections are answered before they are closed
 */
export async function close(
  app: FastifyInstance,
  connections: Pick<Connections, 'cut'>,
  lastAnswersMs: number,
): Promise<void> {
  const { server } = app;
  if (lastAnswersMs > 0) await giveLastAnswers(server, lastAnswersMs);
  // The framework does this once, at the beginning, when the connections with a request under way are not yet idle.
  const tidying = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const impatience = setTimeout(() => connections.cut(server), DRAIN_MS);
  await app.close();
  clearInterval(tidying);
  clearTimeout(impatience);
}

/**
 * Who asks on a kept connection is answered, and told to come by another one, which is refused here. A connection that is
 * closed while a request is on its way leaves its client not knowing what became of that.
 */
async function giveLastAnswers(server: Server, ms: number): Promise<void> {
  // Right behind a look for new connections: those that wait to be taken are cut by the end of listening.
  await rest();
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  // The server of HTTP closes idle connections with that.
  NetServer.prototype.close.call(server);
  await Promise.race([once(server, 'close'), delay(ms)]);
}
