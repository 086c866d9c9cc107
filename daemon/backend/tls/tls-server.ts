import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { sayLast } from './last-words.ts';
import type { ServerTls } from './server-tls.ts';

/** The first byte of a TLS connection: a handshake record. */
const HANDSHAKE = 22;

/** The handshake timeout: the same as for the head of a request by default. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const PLAIN_TEXT = JSON.stringify({
  error: 'this port requires TLS: use https:// (wss:// for an agent) instead of http:// (ws://)',
});
/** The response of RFC 2817 (4.2). */
const PLAIN_ANSWER = [
  'HTTP/1.1 426 Upgrade Required',
  'Upgrade: TLS/1.2, HTTP/1.1',
  'Connection: close',
  'Content-Type: application/json',
  `Content-Length: ${String(Buffer.byteLength(PLAIN_TEXT))}`,
  '',
  PLAIN_TEXT,
].join('\r\n');

/**
 * Creates an HTTP server, with TLS if it is given. The timeout of a handshake equals that for the head of a request. It
 * applies once until the first byte, and once from then on.
 */
export function createServer(options: ServerOptions, listener: RequestListener, tls: ServerTls | undefined): Server {
  if (tls === undefined) return createHttpServer(options, listener);
  const { headersTimeout: handshakeTimeout = HANDSHAKE_TIMEOUT_MS } = options;
  const server = createHttpsServer({ ...options, ...tls.options, handshakeTimeout }, listener);
  tls.serve(server);
  answerPlainHttp(server, handshakeTimeout);
  return server;
}

/**
 * Responds to plain HTTP on a port with TLS. Otherwise the connection would be cut without a reason. The first byte
 * decides, before anything is processed.
 */
function answerPlainHttp(server: Server, timeoutMs: number): void {
  const handshakes = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const impatience = setTimeout(() => socket.destroy(), timeoutMs);
    const isOver = (): void => {
      clearTimeout(impatience);
      socket.off('error', isOver);
      socket.off('close', isOver);
    };
    // A socket with an error also emits `close`.
    socket.on('error', isOver);
    socket.on('close', isOver);
    socket.once('data', (first: Buffer) => {
      isOver();
      socket.pause();
      if (first[0] !== HANDSHAKE) return sayLast(socket, PLAIN_ANSWER);
      socket.unshift(first);
      for (const shake of handshakes) shake.call(server, socket);
    });
  });
}
