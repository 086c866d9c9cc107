import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { FEED_PROTOCOL } from '../../shared/schemas/feed.ts';

/**
 * Serves a feed over WebSockets on a free port. The server is closed when the test finishes.
 *
 * @returns the URL of the server
 */
export async function serveFeed(hub: Disposable, accept: (socket: WebSocket) => void): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const peers = new WebSocketServer({ server, handleProtocols: () => FEED_PROTOCOL, perMessageDeflate: false });
  peers.on('connection', accept);
  onTestFinished(() => {
    hub[Symbol.dispose]();
    for (const socket of peers.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${String(port)}`;
}
