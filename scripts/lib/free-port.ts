import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** @returns the port of the loopback address on which it listens now */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
