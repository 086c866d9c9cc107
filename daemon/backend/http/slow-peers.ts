import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { peersToCut, type BufferLimits, type CutReason, type PeerState } from '../../../shared/domain/slow-peers.ts';
import type { Log } from '../../log/log.ts';
import { Seldom } from '../../log/seldom.ts';
import type { Clock } from '../ports.ts';
import { Peer } from './peer.ts';

/** How often everybody is looked at. */
const LOOK_MS = 1000;

interface SlowPeerParts {
  /** Asked each time: a reload may change it. */
  readonly limits: () => BufferLimits;
  readonly clock: Clock;
  readonly log: Log;
}

interface Looked extends PeerState {
  readonly peer: Peer;
}

/** Bounds what waits in memory for peers that do not read, or do not finish what they say, and cuts them. */
export class SlowPeers implements Disposable {
  /** Since the start, by why. */
  readonly cut: Record<CutReason, number> = { stalled: 0, each: 0, all: 0 };
  readonly #parts: SlowPeerParts;
  readonly #peers = new Map<Duplex, Peer>();
  readonly #timer: Disposable;
  readonly #told: Seldom;

  constructor(parts: SlowPeerParts) {
    this.#parts = parts;
    this.#told = new Seldom(parts.log, parts.clock);
    this.#timer = parts.clock.every(LOOK_MS, () => this.#look());
  }

  /** Bytes that wait now, for all peers together. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const peer of this.#peers.values()) bytes += peer.waitingBytes;
    return bytes;
  }

  /** Looks at whatever connects to a server that does not listen yet. */
  watch(server: Server): void {
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#peers.set(socket, new Peer(socket, this.#parts.clock.monotonic()));
      socket.once('close', () => this.#peers.delete(socket));
    });
  }

  /** Undefined: it is gone, or is no connection of a server. */
  of(socket: Duplex): Peer | undefined {
    return this.#peers.get(socket);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #look(): void {
    const nowMs = this.#parts.clock.monotonic();
    const looked: Looked[] = [];
    for (const peer of this.#peers.values()) {
      const { waitingBytes } = peer;
      const stalledMs = peer.stalledMs(nowMs);
      if (waitingBytes > 0) looked.push({ peer, waitingBytes, stalledMs });
    }
    for (const [{ peer, waitingBytes, stalledMs }, reason] of peersToCut(looked, this.#parts.limits())) {
      this.cut[reason]++;
      const { remoteAddress: address } = peer.socket;
      this.#told.warn(
        () => ({ address, reason, waiting_bytes: waitingBytes, stalled_ms: stalledMs }),
        'a peer was cut that did not read, or did not end what it said',
      );
      peer.socket.destroy();
      this.#peers.delete(peer.socket);
    }
  }
}
