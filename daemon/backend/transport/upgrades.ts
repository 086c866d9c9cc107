import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { MonError } from '../../../shared/errors.ts';

/** One WebSocket endpoint. */
export interface Endpoint {
  readonly path: string;
  /** The subprotocol that a peer must offer. */
  readonly protocol: string;
  /** Longest message from a peer, bytes. */
  readonly maxPayload: number;
  accept(socket: WebSocket): void;
}

/** Why a handshake is refused; undefined: it may go on. */
export type Guard = (request: IncomingMessage) => MonError | undefined;

const REFUSALS: Partial<Record<MonError['code'], string>> = {
  unauthenticated: '401 Unauthorized\r\nWWW-Authenticate: Basic realm="Restricted Area"',
  forbidden: '403 Forbidden',
  unavailable: '503 Service Unavailable',
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
    const path = (request.url ?? '').split('?')[0] ?? '';
    const refusal = guard(request);
    const handshake = byPath.get(path);
    if (refusal !== undefined) refuse(socket, REFUSALS[refusal.code] ?? '400 Bad Request', refusal.message);
    else if (handshake === undefined) refuse(socket, '404 Not Found', `there is no WebSocket endpoint at ${path}`);
    else handshake(request, socket, head);
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
    if (!offered.includes(protocol)) {
      refuse(socket, '400 Bad Request', `the subprotocol ${protocol} is required`);
      return;
    }
    server.handleUpgrade(request, socket, head, (peer) => endpoint.accept(peer));
  };
}

function refuse(socket: Duplex, status: string, reason: string): void {
  const body = JSON.stringify({ error: reason });
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

/**
 * Whether a browser page may connect: CORS does not cover WebSockets, so only pages of this very host may, besides
 * programs, which send no Origin (design, S4).
 */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
