import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Doing } from '../../../shared/domain/v2/roles.ts';
import { MonError, type ErrorCode } from '../../../shared/errors.ts';
import type { Scope } from '../../../shared/schemas/scope.ts';
import { hasScope, mayByRoles, refuseWithoutAccess, refuseWithoutScope, type Principal } from '../access/principal.ts';
import { errorBody } from '../http/errors.ts';
import { FrameSocket } from './frame-socket.ts';
import { sayLast } from '../tls/last-words.ts';
import type { LiveSockets } from './live-sockets.ts';
import type { FrameProgress } from '../http/peer.ts';
import type { SlowPeers } from '../http/slow-peers.ts';

/** One WebSocket endpoint. */
export interface WebSocketEndpoint {
  readonly path: string;
  /** The subprotocol that a peer must offer; default: none. */
  readonly protocol?: string;
  /** The maximum size of a message from a peer, in bytes. */
  readonly maxPayload: number;
  /** The scope that a peer must have. */
  readonly access: Scope;
  /** Additional headers of the response that opens the connection; default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Decides about a peer, instead of the rule that it must have access to the namespace `default`.
   *
   * @throws MonError if the peer is rejected
   */
  admit?(request: IncomingMessage, principal: Principal): void;
  /** Returns the action that roles must allow instead of the scope; absent: roles do not apply. */
  doingOf?(request: IncomingMessage): Doing;
  /** True if a peer without credentials may log in with its first message. */
  readonly canLogInLater?: boolean;
  /** Takes an admitted peer elsewhere; absent: all are passed to `accept`. */
  readonly passOn?: PassOn;
  /** @param principal `nobody` if the peer still has to log in */
  accept(socket: FrameSocket, principal: Principal, request: IncomingMessage): void;
}

/** A peer that is admitted but has not received the response to its handshake. */
export interface Handshaking {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** The bytes that the peer has sent after its request. */
  readonly head: Buffer;
  readonly principal: Principal;
  /** Called when the handshake is answered, with the counter of the peer's frames. */
  readonly speaksFrames: (frames: FrameProgress) => void;
}

/**
 * @returns undefined: this endpoint must accept the peer
 * @throws MonError if the peer cannot be passed on; the promise likewise
 */
export type PassOn = (handshaking: Handshaking) => Promise<void> | undefined;

/** Formats the body of a rejection. */
type Refusal = (error: MonError) => { readonly type: string; readonly body: string };

/** Formats a rejection as Sensu Go does, because its agents log the text unchanged (clients 6). */
export const textRefusal: Refusal = ({ code, message }) => {
  const type = 'text/plain; charset=utf-8';
  if (code === 'unauthenticated') return { type, body: 'bad credentials' };
  return { type, body: code === 'forbidden' ? 'Forbidden' : message };
};

const jsonRefusal: Refusal = (error) => ({ type: 'application/json', body: JSON.stringify(errorBody(error)) });

/** @throws MonError if the handshake must be rejected; the promise, if there is one, likewise */
export type Guard = (request: IncomingMessage) => Promise<Principal> | Principal;

/** The rules for admission: authentication, and the life of open sockets. */
export interface SocketAdmission {
  readonly guard: Guard;
  readonly sockets: LiveSockets;
  readonly slowPeers: SlowPeers;
  /** Another protocol on this listener, besides WebSockets; absent: none. */
  readonly other?: OtherProtocol | undefined;
}

/** A protocol of its own beside the endpoints. */
export interface OtherProtocol {
  /** The name of the protocol in `Upgrade`. */
  readonly protocol: string;
  /**
   * Authenticates the peer and takes over its socket.
   *
   * @throws MonError (the promise) if the peer is rejected
   */
  take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>;
}

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: '401 Unauthorized\r\nWWW-Authenticate: Basic realm="Restricted Area"',
  payment_required: '402 Payment Required',
  forbidden: '403 Forbidden',
  not_found: '404 Not Found',
  unavailable: '503 Service Unavailable',
  internal: '500 Internal Server Error',
};

/** The time for a peer to complete the closing handshake when the backend stops. */
const GOODBYE_MS = 1000;

/** Close code of the WebSocket protocol: the server goes away. */
const GOING_AWAY = 1001;

/**
 * Routes WebSocket handshakes: by path, with the endpoint's subprotocol, after the guard. A rejection is an HTTP
 * response that states the reason.
 *
 * @returns to be disposed before the server is closed, because the server would wait for these peers. Disposing rejects
 *   new peers, closes all connections and cuts off peers that do not answer.
 */
export function routeUpgrades(
  server: Server,
  endpoints: readonly WebSocketEndpoint[],
  admission: SocketAdmission,
  refusal: Refusal = jsonRefusal,
): AsyncDisposable {
  const { guard, other } = admission;
  const peers = new Set<WebSocket>();
  let isClosing = false;
  const refuseWhenClosing = (): void => {
    if (isClosing) throw new MonError('unavailable', 'the backend is stopping: try again in a few seconds');
  };
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, handshakeOf(endpoint, peers, admission)]));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    destroyBroken(socket);
    const proceed = (principal: Principal): Promise<void> | undefined => {
      refuseWhenClosing();
      const path = requestPath(request);
      const handshake = byPath.get(path);
      if (handshake === undefined) throw new MonError('not_found', `there is no WebSocket endpoint at ${path}`);
      return socket.destroyed ? undefined : handshake(request, socket, head, principal);
    };
    const welcome = (): Promise<void> | undefined => {
      if (other !== undefined && request.headers.upgrade?.toLowerCase() === other.protocol) {
        refuseWhenClosing();
        return other.take(request, socket as Socket, head);
      }
      const admitted = guard(request);
      return admitted instanceof Promise ? admitted.then(proceed) : proceed(admitted);
    };
    try {
      welcome()?.catch((error: unknown) => refuse(socket, error, refusal));
    } catch (error) {
      refuse(socket, error, refusal);
    }
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isClosing = true;
      await Promise.all([...peers].map(sayGoodbye));
    },
  };
}

// Objects that live as long as a socket are created outside its handshake function. A closure there would keep all of
// the handshake in memory, 2 kB and more per socket.

/** Ignores errors during the handshake: a peer that disconnects then is not worth a log record. */
function destroyBroken(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

function remember(peers: Set<WebSocket>, peer: WebSocket): void {
  peers.add(peer);
  peer.on('close', () => peers.delete(peer));
}

function allowance(access: Scope, doing: Doing | undefined): (who: Principal) => boolean {
  return (who) => hasScope(who, access) || mayByRoles(who, access, doing);
}

export function requestPath({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?', 1)[0] ?? '';
}

type Handshake = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  principal: Principal,
) => Promise<void> | undefined;

function handshakeOf(
  endpoint: WebSocketEndpoint,
  peers: Set<WebSocket>,
  { sockets, slowPeers }: SocketAdmission,
): Handshake {
  const { protocol, maxPayload, access, headers = {} } = endpoint;
  const server = new WebSocketServer({
    noServer: true,
    WebSocket: FrameSocket,
    clientTracking: false,
    // Compression costs far more than it saves on small frames (performance 8).
    perMessageDeflate: false,
    maxPayload,
    handleProtocols: () => protocol ?? false,
  });
  server.on('headers', (lines) => lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)));
  return (request, socket, head, principal) => {
    const isAllowed = allowance(access, endpoint.doingOf?.(request));
    const isUnknown = principal.via === 'nobody' && endpoint.canLogInLater === true;
    if (isUnknown) {
      // A peer without a login receives nothing before it has logged in.
    } else if (endpoint.admit === undefined) {
      refuseWithoutAccess(principal, { access, url: endpoint.path, namespace: undefined });
    } else {
      if (!isAllowed(principal)) refuseWithoutScope(principal, access);
      endpoint.admit(request, principal);
    }
    if (!isUnknown) sockets.refuseTooMany(principal, access);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (protocol !== undefined && !offered.includes(protocol)) {
      throw new MonError('invalid', `the WebSocket subprotocol ${protocol} is required`);
    }
    // The socket of a server is always a TCP, TLS or local socket.
    const wire = socket as Socket;
    const speaksFrames = (frames: FrameProgress): void => slowPeers.of(wire)?.speaksFrames(frames);
    const passed = endpoint.passOn?.({ request, socket: wire, head, principal, speaksFrames });
    if (passed !== undefined) return passed;
    server.handleUpgrade(request, socket, head, (peer) => {
      peer.speakOver(wire);
      remember(peers, peer);
      speaksFrames(peer);
      if (!isUnknown) sockets.add(peer, principal, access, isAllowed);
      endpoint.accept(peer, principal, request);
    });
    return undefined;
  };
}

async function sayGoodbye(peer: WebSocket): Promise<void> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  peer.on('close', () => resolve());
  peer.close(GOING_AWAY, 'the backend is stopping');
  const impatience = setTimeout(() => peer.terminate(), GOODBYE_MS);
  await gone;
  clearTimeout(impatience);
}

function refuse(socket: Duplex, error: unknown, refusal: Refusal): void {
  const refused = error instanceof MonError ? error : new MonError('internal', 'internal error');
  const { type, body } = refusal(refused);
  sayLast(
    socket,
    `HTTP/1.1 ${REFUSALS[refused.code] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

/**
 * Refuses pages of other hosts: CORS does not cover WebSockets, so a browser lets any page connect (security S4).
 * Programs send no Origin.
 *
 * @throws MonError `forbidden`
 */
export function refuseForeignOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)) return;
  throw new MonError(
    'forbidden',
    `web pages from ${origin} cannot connect to this backend: allow the origin in api.cors.Origin`,
  );
}
