import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { describe, expect, test } from 'vitest';
import { FrameSocket, textFrame } from '../../../../daemon/backend/sockets/frame-socket.ts';

/** Opens a connection that ends with the test, and returns both ends. */
async function connect(): Promise<AsyncDisposable & { backend: FrameSocket; peer: WebSocket; wire: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  const endpoint = new WebSocketServer({ noServer: true, WebSocket: FrameSocket, perMessageDeflate: false });
  const opened = new Promise<{ backend: FrameSocket; wire: Socket }>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      endpoint.handleUpgrade(request, socket, head, (backend) => {
        backend.attachSocket(socket as Socket);
        resolve({ backend, wire: socket as Socket });
      });
    });
  });
  await once(server, 'listening');
  const peer = new WebSocket(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  await once(peer, 'open');
  return {
    ...(await opened),
    peer,
    async [Symbol.asyncDispose]() {
      peer.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a frame', () => {
  test('a WebSocket frame of any length arrives unchanged and in order with the frames of the library', async () => {
    await using connection = await connect();
    const { backend, peer } = connection;
    const texts = [0, 1, 125, 126, 65_535, 65_536, 300_000].map((length) => 'x'.repeat(length));
    texts.push('ä€😀'.repeat(50), '{"type":"ack","id":1}');
    const received: string[] = [];
    peer.on('message', (data: Buffer) => received.push(data.toString()));
    for (const [at, text] of texts.entries()) {
      if (at % 3 === 2) backend.send(text);
      else backend.sendFrame(textFrame(text));
    }
    backend.close(1000);
    await once(peer, 'close');
    expect(received).toEqual(texts);
  });

  test('one frame buffer can be sent to several WebSockets', async () => {
    await using one = await connect();
    await using other = await connect();
    const frame = textFrame('{"type":"check_request"}');
    const [first, second] = [once(one.peer, 'message'), once(other.peer, 'message')];
    one.backend.sendFrame(frame);
    other.backend.sendFrame(frame);
    expect((await Promise.all([first, second])).map(([data]) => String(data))).toEqual(
      Array.from({ length: 2 }, () => '{"type":"check_request"}'),
    );
  });

  test('no frame is sent on a WebSocket that is closing', async () => {
    await using connection = await connect();
    connection.backend.close(1000);
    expect(connection.backend.sendFrame(textFrame('late'))).toBe(false);
  });
});

describe('the received bytes of a WebSocket', () => {
  test.each([1, 125, 126, 65_535, 65_536, 1_000_000])(
    'a received message of %i bytes is counted exactly',
    async (length) => {
      await using connection = await connect();
      const { backend, peer, wire } = connection;
      const heard = once(backend, 'message');
      peer.send('x'.repeat(length));
      await heard;
      expect(wire.bytesRead - backend.completedBytes).toBe(0);
    },
  );

  test('an unfinished message does not count as received, whatever arrives in between', async () => {
    await using connection = await connect();
    const { backend, peer, wire } = connection;
    const pinged = once(backend, 'ping');
    peer.send('x'.repeat(200_000), { fin: false });
    peer.ping('still here');
    await pinged;
    expect(wire.bytesRead - backend.completedBytes).toBeGreaterThanOrEqual(200_000);
    const heard = once(backend, 'message');
    peer.send('the end', { fin: true });
    await heard;
    expect(wire.bytesRead - backend.completedBytes).toBeLessThanOrEqual(64 * 1024);
  });
});
