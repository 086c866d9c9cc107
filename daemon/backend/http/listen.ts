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
 * Starts to listen.
 *
 * @param remedy name of the setting or option that changes the port, for the error message
 * @returns the URL of the listener
 * @throws MonError `conflict` if the port is in use, `invalid` if the address cannot be used
 */
export async function startListening(
  app: FastifyInstance,
  { bind, port }: ListenAddress,
  makeServer: MakeServer,
  remedy = '--port',
): Promise<string> {
  try {
    const listening = await app.listen({ host: bind, port });
    // The HTTP framework always returns an http URL, because it does not know whether the server uses TLS.
    const url = app.server instanceof TlsServer ? listening.replace(/^http:/, 'https:') : listening;
    if (bind === 'localhost') await listenOnOtherLoopback(app, makeServer);
    return url;
  } catch (error) {
    throw listenProblem(error, { bind, port }, remedy);
  }
}

/**
 * Listens also at the other loopback address of `localhost` (IPv4 or IPv6), because a server can listen at only one
 * address.
 */
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
  // Errors are ignored, because not every host has both an IPv4 and an IPv6 loopback address.
  await once(otherServer, 'listening').catch(() => undefined);
}

/** Maximum time, in milliseconds, for which a stopping backend waits for requests in progress (reliability 11). */
const DRAIN_MS = 3000;
/** Interval, in milliseconds, at which a stopping backend closes idle keep-alive connections. */
const IDLE_MS = 50;

/**
 * Stops accepting requests and waits for requests in progress. It does not wait longer than `DRAIN_MS`, because some
 * clients never complete their request.
 *
 * @param lastAnswersMs time, in milliseconds, for which requests on keep-alive connections are still answered; then
 *   these connections are closed
 */
export async function closeServer(
  app: FastifyInstance,
  connections: Pick<Connections, 'closeRemaining'>,
  lastAnswersMs: number,
): Promise<void> {
  const { server } = app;
  if (lastAnswersMs > 0) await giveLastResponses(server, lastAnswersMs);
  // The HTTP framework closes idle connections only once, at the beginning. Connections with a request in progress
  // become idle later.
  const tidying = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const impatience = setTimeout(() => connections.closeRemaining(server), DRAIN_MS);
  await app.close();
  clearInterval(tidying);
  clearTimeout(impatience);
}

/**
 * Answers requests on keep-alive connections and asks their clients to reconnect; new connections are rejected. A
 * connection that is closed while a request is on its way would leave its client without the outcome.
 */
async function giveLastResponses(server: Server, ms: number): Promise<void> {
  // Lets the event loop accept the pending connections first, because they are cut when listening ends.
  await yieldToEventLoop();
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  // This only ends listening. The `close` of HTTP servers would also close idle connections.
  NetServer.prototype.close.call(server);
  await Promise.race([once(server, 'close'), delay(ms)]);
}
