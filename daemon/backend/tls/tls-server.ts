import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { sendAndClose } from './last-words.ts';
import type { ServerTls } from './server-tls.ts';

/** The first byte that a TLS client sends: the type of a handshake record. */
const HANDSHAKE_RECORD_TYPE = 22;

/** Default timeout of a TLS handshake in milliseconds, if the server options have no `headersTimeout`. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

const PLAIN_HTTP_BODY = JSON.stringify({
  error: 'this port requires TLS: use https:// (wss:// for an agent) instead of http:// (ws://)',
});
/** The HTTP response to a plain HTTP request on a port with TLS (RFC 2817, 4.2). */
const PLAIN_HTTP_RESPONSE = [
  'HTTP/1.1 426 Upgrade Required',
  'Upgrade: TLS/1.2, HTTP/1.1',
  'Connection: close',
  'Content-Type: application/json',
  `Content-Length: ${String(Buffer.byteLength(PLAIN_HTTP_BODY))}`,
  '',
  PLAIN_HTTP_BODY,
].join('\r\n');

/**
 * Creates an HTTP server, or an HTTPS server if `tls` is given. The first byte of a client, the rest of the TLS
 * handshake, and the headers of a request each have the same time limit.
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
 * Sends an HTTP response to clients that use plain HTTP on a port with TLS; without it, their connections would be
 * closed without a reason. The first byte of a connection shows whether it uses TLS.
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
    // A failed socket emits `error` and then `close`.
    socket.on('error', isOver);
    socket.on('close', isOver);
    socket.once('data', (first: Buffer) => {
      isOver();
      socket.pause();
      if (first[0] !== HANDSHAKE_RECORD_TYPE) return sendAndClose(socket, PLAIN_HTTP_RESPONSE);
      socket.unshift(first);
      for (const shake of handshakes) shake.call(server, socket);
    });
  });
}
