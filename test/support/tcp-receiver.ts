import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

type Place = { readonly path: string } | { readonly port: number; readonly host: string };

/** Opens a server for TCP or Unix sockets. It is closed when the test finishes. */
export async function listen(place: Place, accept: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    accept(socket);
  }).listen(place);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Opens a server that records the data of each connection when the client ends it, and then ends it too. */
export async function receiver(place: Place = { port: 0, host: '127.0.0.1' }) {
  const received: string[] = [];
  const server = await listen(place, (socket) => {
    void (async () => {
      received.push(await text(socket));
      socket.end();
    })();
  });
  return { received, port: 'path' in place ? 0 : portOf(server) };
}
