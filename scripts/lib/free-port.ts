import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Starts a server on a free port of the loopback address, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns a port of the loopback address on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreePort(server);
  server.close();
  await once(server, 'close');
  return port;
}
