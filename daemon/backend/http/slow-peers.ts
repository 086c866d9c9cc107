import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { peersToDrop, type BufferLimits, type DropReason, type PeerState } from '../../../shared/domain/slow-peers.ts';
import type { Log } from '../../log/log.ts';
import { Seldom } from '../../log/rate-limit.ts';
import type { Clock } from '../ports.ts';
import { Peer } from './peer.ts';

/** Interval at which all connections are checked. */
const CHECK_MS = 1000;

interface SlowPeerParts {
  /** Returns the limits, called each time: a reload may change them. */
  readonly limits: () => BufferLimits;
  readonly clock: Clock;
  readonly log: Log;
}

interface Looked extends PeerState {
  readonly peer: Peer;
}

/**
 * Limits the data that waits in memory for peers that do not read, or do not complete their requests, and cuts them.
 */
export class SlowPeers implements Disposable {
  /** Number of cut connections since the start, by reason. */
  readonly dropped: Record<DropReason, number> = { stalled: 0, connection_limit: 0, total_limit: 0 };
  readonly #parts: SlowPeerParts;
  readonly #peers = new Map<Duplex, Peer>();
  readonly #timer: Disposable;
  readonly #warnings: Seldom;

  constructor(parts: SlowPeerParts) {
    this.#parts = parts;
    this.#warnings = new Seldom(parts.log, parts.clock);
    this.#timer = parts.clock.every(CHECK_MS, () => this.#dropSlow());
  }

  /** The buffered bytes of all peers together. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const peer of this.#peers.values()) bytes += peer.waitingBytes;
    return bytes;
  }

  /** Monitors the connections of a server that does not listen yet. */
  watch(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#peers.set(socket, new Peer(socket, this.#parts.clock.monotonic()));
      socket.once('close', () => this.#peers.delete(socket));
    });
  }

  /** Returns the peer of a socket. Undefined: it is closed, or does not belong to a server. */
  of(socket: Duplex): Peer | undefined {
    return this.#peers.get(socket);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #dropSlow(): void {
    const nowMs = this.#parts.clock.monotonic();
    const looked: Looked[] = [];
    for (const peer of this.#peers.values()) {
      const { waitingBytes } = peer;
      const stalledMs = peer.stalledMs(nowMs);
      if (waitingBytes > 0) looked.push({ peer, waitingBytes, stalledMs });
    }
    for (const [{ peer, waitingBytes, stalledMs }, reason] of peersToDrop(looked, this.#parts.limits())) {
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
