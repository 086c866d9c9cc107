import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Starts a server on a free port of the loopback address, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * The ports from which `freePort` chooses. They are below the ports that systems assign to connections, so that no
 * connection takes the port before its program listens there, or while the program restarts.
 */
const PORT_MIN = 10_000;
const PORT_MAX = 32_000;

/** Number of ports that `freePort` tries. Nearly all of them are free. */
const ATTEMPTS_MAX = 100;

/** Returns a random port of the loopback address on which nothing listens. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${String(PORT_MIN)} to ${String(PORT_MAX)}: end programs that listen there`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
