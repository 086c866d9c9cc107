import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import {
  connectionRejection,
  type ConnectionLimits,
  type ConnectionRejection,
} from '../../../shared/domain/connection-limits.ts';
import type { Log } from '../../log/log.ts';
import { RateLimitedLog } from '../../log/rate-limit.ts';
import { networkOf } from '../access/networks.ts';
import type { Clock } from '../ports.ts';
import { sendAndClose } from '../tls/last-words.ts';

interface ConnectionDependencies {
  /** Returns the current limits; called for each connection, because a reload of the configuration can change them. */
  readonly limits: () => ConnectionLimits;
  /** Returns true if many clients share an address, see `connectionRejection`. */
  readonly isShared: (address: string) => boolean;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

interface Connection {
  readonly server: Server;
  readonly network: string;
}

type AcceptConnection = (socket: Duplex) => void;

const REFUSAL_TEXT = 'there are too many open connections: close some, or try again later';
const REFUSAL_RESPONSE =
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n' +
  `Content-Length: ${String(REFUSAL_TEXT.length)}\r\n\r\n${REFUSAL_TEXT}`;

/** Counts and limits the open connections of all listeners together, for requests, handshakes and WebSockets. */
export class Connections implements Disposable {
  /** Number of rejected connections since the start, by reason. */
  readonly rejected: Record<ConnectionRejection, number> = { total: 0, address: 0 };
  readonly #dependencies: ConnectionDependencies;
  readonly #open = new Map<Socket, Connection>();
  readonly #counts = new Map<string, number>();
  readonly #tunnels = new Set<Duplex>();
  /** The connection listeners that Node has set on each server without TLS; `serve` passes tunnels to them. */
  readonly #accept = new Map<Server, readonly AcceptConnection[]>();
  #leaving = 0;
  readonly #warnings: RateLimitedLog;

  constructor(dependencies: ConnectionDependencies) {
    this.#dependencies = dependencies;
    this.#warnings = new RateLimitedLog(dependencies.log, dependencies.clock);
  }

  /** Number of open connections, excluding the tunneled connections. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Number of open connections of clients that other backends forward through their own connections to this backend.
   */
  get tunnels(): number {
    return this.#tunnels.size;
  }

  get limits(): ConnectionLimits {
    return this.#dependencies.limits();
  }

  /**
   * Counts and limits the connections of a server; called before the server listens. Connections above a limit never
   * reach the server.
   */
  watch<Listener extends Server>(server: Listener): Listener {
    const accept = server.listeners('connection') as AcceptConnection[];
    // The connection listeners of a TLS server do the handshake. For a tunnel it is already done, so tunnels bypass
    // them.
    if (!(server instanceof TlsServer)) this.#accept.set(server, accept);
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#admit(server, socket)) return;
      for (const listener of accept) listener.call(server, socket);
    });
    return server;
  }

  /**
   * Serves the connection of a client that another backend tunnels through its own connection. Only the total limit
   * applies to a tunnel: it uses no file descriptor, and its address represents many clients.
   */
  serve(server: Server, tunnel: Duplex): void {
    if (this.#isFull) {
      this.rejected.total++;
      sendAndClose(tunnel, REFUSAL_RESPONSE);
      this.#warn('total', '');
      return;
    }
    this.#tunnels.add(tunnel);
    tunnel.once('close', () => this.#tunnels.delete(tunnel));
    const accept = this.#accept.get(server) ?? (server.listeners('secureConnection') as AcceptConnection[]);
    for (const listener of accept) listener.call(server, tunnel);
  }

  /** Closes all remaining connections of a server that stops. */
  closeRemaining(server: Server): void {
    for (const [socket, connection] of this.#open) if (connection.server === server) socket.destroy();
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /**
   * Counts a new connection, or rejects it if a limit is reached.
   *
   * @returns true if the connection was accepted; false if it was rejected
   */
  #admit(server: Server, socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket;
    const network = networkOf(address);
    const ofAddress = this.#counts.get(network) ?? 0;
    const { limits, isShared } = this.#dependencies;
    const reason = this.#isFull
      ? 'total'
      : connectionRejection({ all: this.#open.size, ofAddress }, isShared(address), limits());
    if (reason !== undefined) {
      this.#reject(server, socket, reason);
      this.#warn(reason, address);
      return false;
    }
    this.#open.set(socket, { server, network });
    this.#counts.set(network, ofAddress + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      const left = (this.#counts.get(network) ?? 1) - 1;
      if (left === 0) this.#counts.delete(network);
      else this.#counts.set(network, left);
    });
    return true;
  }

  get #isFull(): boolean {
    return this.#open.size + this.#tunnels.size >= this.#dependencies.limits().withTunnels;
  }

  #reject(server: Server, socket: Socket, reason: ConnectionRejection): void {
    this.rejected[reason]++;
    // A peer that expects TLS could not read a plain-text response.
    if (this.#leaving >= this.limits.rejectionsWithReason || server instanceof TlsServer) {
      socket.destroy();
      return;
    }
    this.#leaving++;
    socket.once('close', () => this.#leaving--);
    sendAndClose(socket, REFUSAL_RESPONSE);
  }

  #warn(reason: ConnectionRejection, address: string): void {
    const { withTunnels, all, perAddress } = this.limits;
    const ofAll = this.#isFull ? withTunnels : all;
    const [limit, remedy] =
      reason === 'total' ? [ofAll, 'connection-limit'] : [perAddress, 'connection-limit-per-address'];
    this.#warnings.warn(
      () => ({ connections: this.size, forwarded: this.tunnels, limit, address }),
      `connections are rejected: find the clients with many connections, or raise ${remedy}`,
    );
  }
}
