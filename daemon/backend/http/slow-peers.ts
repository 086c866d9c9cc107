import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { peersToDrop, type BufferLimits, type DropReason, type PeerState } from '../../../shared/domain/slow-peers.ts';
import type { Log } from '../../log/log.ts';
import { RateLimitedLog } from '../../log/rate-limit.ts';
import type { Clock } from '../ports.ts';
import { Peer } from './peer.ts';

/** Interval, in milliseconds, at which all connections are checked. */
const CHECK_MS = 1000;

interface SlowPeerDependencies {
  /** Returns the current limits; called at each check, because a reload of the configuration can change them. */
  readonly limits: () => BufferLimits;
  readonly clock: Clock;
  readonly log: Log;
}

interface InspectedPeer extends PeerState {
  readonly peer: Peer;
}

/**
 * Limits the memory that is used by connections whose peers do not read, or do not complete their requests. Closes such
 * connections above the limits.
 */
export class SlowPeers implements Disposable {
  /** Number of connections that were closed since the start, by reason. */
  readonly dropped: Record<DropReason, number> = { stalled: 0, connection_limit: 0, total_limit: 0 };
  readonly #dependencies: SlowPeerDependencies;
  readonly #peers = new Map<Duplex, Peer>();
  readonly #timer: Disposable;
  readonly #warnings: RateLimitedLog;

  constructor(dependencies: SlowPeerDependencies) {
    this.#dependencies = dependencies;
    this.#warnings = new RateLimitedLog(dependencies.log, dependencies.clock);
    this.#timer = dependencies.clock.every(CHECK_MS, () => this.#dropSlow());
  }

  /** Number of bytes that are buffered in memory for all connections together. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const peer of this.#peers.values()) bytes += peer.waitingBytes;
    return bytes;
  }

  /** Monitors the connections of a server; called before the server listens. */
  watch(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#peers.set(socket, new Peer(socket, this.#dependencies.clock.monotonic()));
      socket.once('close', () => this.#peers.delete(socket));
    });
  }

  /** Returns the `Peer` of a socket; undefined if the socket is closed, or does not belong to a monitored server. */
  peerOf(socket: Duplex): Peer | undefined {
    return this.#peers.get(socket);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #dropSlow(): void {
    const nowMs = this.#dependencies.clock.monotonic();
    const looked: InspectedPeer[] = [];
    for (const peer of this.#peers.values()) {
      const { waitingBytes } = peer;
      const stalledMs = peer.stalledMs(nowMs);
      if (waitingBytes > 0) looked.push({ peer, waitingBytes, stalledMs });
    }
    for (const [{ peer, waitingBytes, stalledMs }, reason] of peersToDrop(looked, this.#dependencies.limits())) {
      this.dropped[reason]++;
      const { remoteAddress: address } = peer.socket;
      this.#warnings.warn(
        () => ({ address, reason, buffered_bytes: waitingBytes, stalled_ms: stalledMs }),
        'dropped a connection whose peer is too slow or sends incomplete requests',
      );
      peer.socket.destroy();
      this.#peers.delete(peer.socket);
    }
  }
}
