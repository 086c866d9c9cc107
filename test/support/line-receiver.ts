import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Opens a TCP server that records all data of each connection when the client closes it. */
export async function openLineReceiver(port = 0): Promise<{ readonly port: number; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    text(socket).then(
      (line) => received.push(line),
      // The data of an aborted connection is not recorded.
      () => undefined,
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received };
}
