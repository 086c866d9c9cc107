import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A reverse proxy that forwards requests and WebSockets below a URL path to a backend, without that path. */
export interface PrefixProxy extends AsyncDisposable {
  /** URL of the proxy including the path, such as `http://127.0.0.1:4999/mon`. */
  readonly url: string;
}

export async function openPrefixProxy(path: string, port: () => number): Promise<PrefixProxy> {
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => {
    const inner = withoutPath(incoming, path);
    if (inner === undefined) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const asked = request({ port: port(), method, path: inner, headers: forwarded(incoming, headers) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(asked);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const inner = withoutPath(incoming, path);
    if (inner === undefined) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    const outer = connect(port(), '127.0.0.1', () => {
      const lines = Object.entries(forwarded(incoming, incoming.headers)).map(
        ([name, value]) => `${name}: ${String(value)}`,
      );
      outer.write(`GET ${inner} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      outer.write(head);
      outer.pipe(socket).pipe(outer);
    });
    sockets.add(outer);
    for (const one of [socket, outer]) one.on('error', () => [socket, outer].forEach((each) => each.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function withoutPath({ url = '' }: IncomingMessage, path: string): string | undefined {
  return url.startsWith(`${path}/`) ? url.slice(path.length) : undefined;
}

function forwarded<T extends object>({ socket }: IncomingMessage, headers: T): T & { 'x-forwarded-for': string } {
  return { ...headers, 'x-forwarded-for': socket.remoteAddress ?? '' };
}
