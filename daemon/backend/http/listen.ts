import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop, setTimeout as delay } from 'node:timers/promises';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';
import type { MakeServer } from './http-server.ts';
import { listenProblem, type ListenAddress } from './listen-problem.ts';

/**
 * @param remedy the setting that changes the port, for operators
 * @returns the URL of the listener
 * @throws MonError `conflict` if the port is in use, `invalid` if the address cannot be used
 */
export async function listen(
  app: FastifyInstance,
  { bind, port }: ListenAddress,
  makeServer: MakeServer,
  remedy = '--port',
): Promise<string> {
  try {
    const listening = await app.listen({ host: bind, port });
    // The framework does not know whether the given server uses TLS.
    const url = app.server instanceof TlsServer ? listening.replace(/^http:/, 'https:') : listening;
    if (bind === 'localhost') await listenOnOtherLoopback(app, makeServer);
    return url;
  } catch (error) {
    throw listenProblem(error, { bind, port }, remedy);
  }
}

/** Listens at the second address of `localhost`, because a server listens at only one of the two. */
async function listenOnOtherLoopback(app: FastifyInstance, makeServer: MakeServer): Promise<void> {
  const { server } = app;
  const { address, port } = server.address() as AddressInfo;
  const otherServer = makeServer((request, response) => app.routing(request, response), { requireHostHeader: false });
  otherServer.on('upgrade', (...handshake) => server.emit('upgrade', ...handshake));
  server.once('close', () => {
    otherServer.close();
    otherServer.closeAllConnections();
  });
  otherServer.listen(port, address === '::1' ? '127.0.0.1' : '::1');
  // Not every machine has both addresses.
  await once(otherServer, 'listening').catch(() => undefined);
}

/** Maximum time for requests in progress when the backend stops (reliability 11). */
const DRAIN_MS = 3000;
/** Interval at which idle kept connections are closed, because no further request will come. */
const IDLE_MS = 50;

/**
 * Stops accepting requests and waits for those in progress, but not for a client that never completes its own.
 *
 * @param lastAnswersMs time for which requests on kept connections are answered before they are closed
 */
export async function close(
  app: FastifyInstance,
  connections: Pick<Connections, 'cut'>,
  lastAnswersMs: number,
): Promise<void> {
  const { server } = app;
  if (lastAnswersMs > 0) await giveLastAnswers(server, lastAnswersMs);
  // The framework does this once, at the beginning, when connections with a request in progress are not idle yet.
  const tidying = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const impatience = setTimeout(() => connections.cut(server), DRAIN_MS);
  await app.close();
  clearInterval(tidying);
  clearTimeout(impatience);
}

/**
 * Answers requests on kept connections, and tells their clients to reconnect; new connections are rejected here. If a
 * connection was closed while a request is on its way, its client would not know the outcome.
 */
async function giveLastAnswers(server: Server, ms: number): Promise<void> {
  // Right after a check for new connections: connections that wait to be accepted are cut when listening ends.
  await yieldToEventLoop();
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  // The `close` of HTTP servers would also close idle connections.
  NetServer.prototype.close.call(server);
  await Promise.race([once(server, 'close'), delay(ms)]);
}
