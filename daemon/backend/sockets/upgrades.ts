import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Operation } from '../../../shared/domain/v2/roles.ts';
import { MonError, type ErrorCode } from '../../../shared/errors.ts';
import type { Scope } from '../../../shared/schemas/scope.ts';
import {
  hasScope,
  isAllowedByRoles,
  refuseWithoutAccess,
  refuseWithoutScope,
  type Principal,
} from '../access/principal.ts';
import { errorBody } from '../http/errors.ts';
import { FrameSocket } from './frame-socket.ts';
import { sendAndClose } from '../tls/last-words.ts';
import type { LiveSockets } from './live-sockets.ts';
import type { FrameProgress } from '../http/peer.ts';
import type { SlowPeers } from '../http/slow-peers.ts';

/** A WebSocket endpoint: a path on a listener, with its protocol and its rules for admission. */
export interface WebSocketEndpoint {
  readonly path: string;
  /** The WebSocket subprotocol that a peer must offer; absent if the endpoint has no subprotocol. */
  readonly protocol?: string;
  /** The maximum size of a message from a peer, in bytes. */
  readonly maxPayload: number;
  /** The scope that a peer must have. */
  readonly access: Scope;
  /** Additional headers of the handshake response; none by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Checks whether a peer with the required scope is admitted; if absent, the peer needs access to the namespace
   * `default`.
   *
   * @throws MonError if the peer is rejected
   */
  admit?(request: IncomingMessage, principal: Principal): void;
  /**
   * Returns the operation that a role must allow to admit a peer without the required scope; absent if roles admit
   * nobody.
   */
  doingOf?(request: IncomingMessage): Operation;
  /** True if a peer without credentials is allowed to log in with its first message. */
  readonly canLogInLater?: boolean;
  /** Passes an admitted peer on to another backend; absent if this backend accepts all peers itself. */
  readonly forwardPeer?: ForwardPeer;
  /**
   * Called with the open WebSocket of an admitted peer.
   *
   * @param principal the principal of the peer; its `via` is `nobody` if the peer must still log in
   */
  accept(socket: FrameSocket, principal: Principal, request: IncomingMessage): void;
}

/** A peer that is admitted, but to which the handshake response was not sent yet. */
export interface PendingHandshake {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** The bytes that followed the peer's handshake request. */
  readonly head: Buffer;
  readonly principal: Principal;
  /** Call it after the handshake response, with the object that counts the bytes of the peer's messages. */
  readonly onFramesStarted: (frames: FrameProgress) => void;
}

/**
 * Passes an admitted peer on to another backend.
 *
 * @returns a promise that resolves when the peer was passed on; undefined if this endpoint must accept the peer itself
 * @throws MonError if the peer cannot be passed on; a returned promise rejects with the same error
 */
export type ForwardPeer = (handshaking: PendingHandshake) => Promise<void> | undefined;

/** Returns the body of the HTTP response that rejects a handshake, and its content type. */
type UpgradeRefusal = (error: MonError) => { readonly type: string; readonly body: string };

/** Rejects a handshake with the plain text that Sensu Go sends, because its agents log that text (clients 6). */
export const textRefusal: UpgradeRefusal = ({ code, message }) => {
  const type = 'text/plain; charset=utf-8';
  if (code === 'unauthenticated') return { type, body: 'bad credentials' };
  return { type, body: code === 'forbidden' ? 'Forbidden' : message };
};

const jsonRefusal: UpgradeRefusal = (error) => ({ type: 'application/json', body: JSON.stringify(errorBody(error)) });

/**
 * Authenticates the peer of a handshake.
 *
 * @throws MonError if the handshake must be rejected; a returned promise rejects with the same error
 */
export type UpgradeGuard = (request: IncomingMessage) => Promise<Principal> | Principal;

/** Dependencies of `routeUpgrades`: authentication of peers, and supervision of open sockets. */
export interface SocketAdmission {
  readonly guard: UpgradeGuard;
  readonly sockets: LiveSockets;
  readonly slowPeers: SlowPeers;
  /** Another protocol besides WebSocket that peers can upgrade to on this listener; absent if there is none. */
  readonly otherProtocol?: OtherProtocol | undefined;
}

/** A protocol other than WebSocket that a peer can request in the header `Upgrade`. */
export interface OtherProtocol {
  /** The name of the protocol in the header `Upgrade`, in lower case. */
  readonly protocol: string;
  /**
   * Authenticates the peer and takes over its socket.
   *
   * @throws MonError if the peer is rejected
   */
  accept(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>;
}

const REFUSAL_STATUS_LINES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: '401 Unauthorized\r\nWWW-Authenticate: Basic realm="Restricted Area"',
  payment_required: '402 Payment Required',
  forbidden: '403 Forbidden',
  not_found: '404 Not Found',
  unavailable: '503 Service Unavailable',
  internal: '500 Internal Server Error',
};

/** Time in milliseconds that a peer has to complete the closing handshake when the backend stops. */
const GOODBYE_MS = 1000;

/** WebSocket close code: the server is shutting down. */
const GOING_AWAY_CLOSE_CODE = 1001;

/**
 * Authenticates the peers of WebSocket handshakes, and passes them to the endpoint at the path of the request. A
 * rejected handshake gets an HTTP response that states the reason.
 *
 * @returns disposable; dispose of it before the server is closed, because the server would wait for open connections.
 *   Disposing of it rejects new peers, closes all connections, and cuts the connections of peers that do not answer in
 *   time
 */
export function routeUpgrades(
  server: Server,
  endpoints: readonly WebSocketEndpoint[],
  admission: SocketAdmission,
  refusal: UpgradeRefusal = jsonRefusal,
): AsyncDisposable {
  const { guard, otherProtocol } = admission;
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
      if (otherProtocol !== undefined && request.headers.upgrade?.toLowerCase() === otherProtocol.protocol) {
        refuseWhenClosing();
        return otherProtocol.accept(request, socket as Socket, head);
      }
      const admitted = guard(request);
      return admitted instanceof Promise ? admitted.then(proceed) : proceed(admitted);
    };
    try {
      welcome()?.catch((error: unknown) => refuseUpgrade(socket, error, refusal));
    } catch (error) {
      refuseUpgrade(socket, error, refusal);
    }
  });
  return {
    [Symbol.asyncDispose]: async () => {
      isClosing = true;
      await Promise.all([...peers].map(closePeer));
    },
  };
}

// The following functions stay referenced as long as a socket is open, so they are created outside its handshake
// function. A closure in that function would keep the whole handshake in memory, at least 2 kB per socket.

/**
 * Destroys a socket that fails during the handshake. Nothing is logged, because such a peer has merely disconnected.
 */
function destroyBroken(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

function addUntilClosed(peers: Set<WebSocket>, peer: WebSocket): void {
  peers.add(peer);
  peer.on('close', () => peers.delete(peer));
}

function accessCheck(access: Scope, doing: Operation | undefined): (who: Principal) => boolean {
  return (who) => hasScope(who, access) || isAllowedByRoles(who, access, doing);
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
    const isAllowed = accessCheck(access, endpoint.doingOf?.(request));
    const isUnknown = principal.via === 'nobody' && endpoint.canLogInLater === true;
    if (isUnknown) {
      // A peer that logs in with its first message is not checked yet. Until then it receives no data.
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
    // The sockets of an HTTP server are TCP, TLS or Unix domain sockets, so the type `Duplex` can be narrowed.
    const wire = socket as Socket;
    const speaksFrames = (frames: FrameProgress): void => slowPeers.peerOf(wire)?.onFramesStarted(frames);
    const passed = endpoint.forwardPeer?.({ request, socket: wire, head, principal, onFramesStarted: speaksFrames });
    if (passed !== undefined) return passed;
    server.handleUpgrade(request, socket, head, (peer) => {
      peer.attachSocket(wire);
      addUntilClosed(peers, peer);
      speaksFrames(peer);
      if (!isUnknown) sockets.add(peer, principal, access, isAllowed);
      endpoint.accept(peer, principal, request);
    });
    return undefined;
  };
}

async function closePeer(peer: WebSocket): Promise<void> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  peer.on('close', () => resolve());
  peer.close(GOING_AWAY_CLOSE_CODE, 'the backend is stopping');
  const impatience = setTimeout(() => peer.terminate(), GOODBYE_MS);
  await gone;
  clearTimeout(impatience);
}

function refuseUpgrade(socket: Duplex, error: unknown, refusal: UpgradeRefusal): void {
  const refused = error instanceof MonError ? error : new MonError('internal', 'internal error');
  const { type, body } = refusal(refused);
  sendAndClose(
    socket,
    `HTTP/1.1 ${REFUSAL_STATUS_LINES[refused.code] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  );
}

/**
 * Rejects handshakes from web pages of other hosts. Browsers do not apply CORS to WebSockets, so any page could connect
 * (security S4). Handshakes without the header `Origin` come from programs and are allowed.
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
