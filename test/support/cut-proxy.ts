import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CutProxy {
  readonly url: string;
  /** Number of connections that were cut so far. */
  readonly cuts: number;
  /** Makes the proxy forward everything from now on. */
  calm(): void;
}

/**
 * Starts a TCP proxy on a loopback address that resets each connection after the number of response bytes that
 * `bytesUntilCut` returns. The bytes before the cut arrive, so that frames are cut anywhere. The proxy is closed when
 * the test finishes.
 */
export async function startCutProxy(target: string, bytesUntilCut: () => number): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let cuts = 0;
  let isCalm = false;

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let left = bytesUntilCut();
    const drop = (): void => {
      for (const socket of [near, far]) {
        open.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', drop);
      socket.on('close', drop);
    }
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (isCalm || chunk.length < left) {
        left -= chunk.length;
        near.write(chunk);
        return;
      }
      cuts += 1;
      far.destroy();
      near.write(chunk.subarray(0, Math.max(0, left)), () => near.resetAndDestroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    get cuts() {
      return cuts;
    },
    calm() {
      isCalm = true;
    },
  };
}
