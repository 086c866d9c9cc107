import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { MonError, type ErrorCode } from '../../../shared/errors.ts';

/** One WebSocket endpoint. */
export interface Endpoint {
  readonly path: string;
  /** The subprotocol that a peer must offer. */
  readonly protocol: string;
  /** Longest message from a peer, bytes. */
  readonly maxPayload: number;
  accept(socket: WebSocket): void;
}

/** @throws MonError when the handshake must not go on */
export type Guard = (request: IncomingMessage) => void;

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: '401 Unauthorized\r\nWWW-Authenticate: Basic realm="Restricted Area"',
  forbidden: '403 Forbidden',
  not_found: '404 Not Found',
  internal: '500 Internal Server Error',
};

/**
 * Lets WebSocket peers in: by path, with the endpoint's subprotocol, after the guard. A refusal is an HTTP answer that
 * says why.
 */
export function routeUpgrades(server: Server, endpoints: readonly Endpoint[], guard: Guard): void {
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, handshakeOf(endpoint)]));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A peer that goes away during the handshake is no event worth telling.
    socket.on('error', () => socket.destroy());
    try {
      guard(request);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      const handshake = byPath.get(path);
      if (handshake === undefined) throw new MonError('not_found', `there is no WebSocket endpoint at ${path}`);
      handshake(request, socket, head);
    } catch (error) {
      refuse(socket, error);
    }
  });
}

function handshakeOf(endpoint: Endpoint): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const { protocol, maxPayload } = endpoint;
  const server = new WebSocketServer({
    noServer: true,
    // Compression costs far more than it saves on small frames (performance, rule 8).
    perMessageDeflate: false,
    maxPayload,
    handleProtocols: () => protocol,
  });
  return (request, socket, head) => {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes(protocol)) throw new MonError('invalid', `the subprotocol ${protocol} is required`);
    server.handleUpgrade(request, socket, head, (peer) => endpoint.accept(peer));
  };
}

function refuse(socket: Duplex, error: unknown): void {
  const [code, reason] =
    error instanceof MonError ? [error.code, error.message] : (['internal', 'internal error'] as const);
  const body = JSON.stringify({ error: reason });
  socket.end(
    `HTTP/1.1 ${REFUSALS[code] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

/**
 * Refuses pages of other hosts: CORS does not cover WebSockets, so a browser lets any page connect (design, S4).
 * Programs send no Origin.
 *
 * @throws MonError `forbidden`
 */
export function refuseForeignOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new MonError('forbidden', `pages of ${origin} may not connect to this backend`);
}
