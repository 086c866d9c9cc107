import type { Socket } from 'node:net';
import type { Clock } from '../../ports.ts';
import { Channel, type ChannelCarrier } from './channel.ts';
import {
  FRAME_KINDS,
  frameHead,
  FrameError,
  FrameReader,
  type FrameKind,
  type ChannelFrameHandler,
} from './channel-frame.ts';

/** Interval at which each end of a connection sends an `alive` frame if it has nothing else to send. */
const ALIVE_MS = 2500;

/** Maximum number of `ALIVE_MS` intervals without received data; the connection is closed after 10 to 12.5 seconds. */
const SILENT_MAX = 4;

/** Size of the send buffer in bytes; while it is full, channels wait to send data. */
const BATCH_BYTES_MAX = 256 * 1024;

const CHANNEL_ID_MAX = 0xffffffff;

interface ChannelsDependencies {
  /** Accepts a channel that the other end opens; absent if the other end is not allowed to open channels. */
  readonly accept?: (channel: Channel) => void;
  readonly clock: Pick<Clock, 'every'>;
  /**
   * Called once, when the connection is closed.
   *
   * @param error the protocol violation that made this end close it; undefined if there was none
   */
  readonly onClose: (error: FrameError | undefined) => void;
}

/**
 * A connection between two backends that multiplexes any number of channels. Each channel has its own flow control
 * window, so a slow reader delays no other channel and uses bounded memory. If the connection is the bottleneck, the
 * channels take turns.
 *
 * HTTP/2 is not used, because it costs more. An HTTP/2 stream takes 15 kB of memory in both processes together, a
 * socket 5 kB, and a channel 3 kB. Per frame, a stream needs as much CPU time as a socket, and a channel two thirds of
 * that (measured with 20,000 of each on Node 24).
 */
export class Channels implements ChannelCarrier, ChannelFrameHandler, Disposable {
  readonly #socket: Socket;
  readonly #dependencies: ChannelsDependencies;
  readonly #open = new Map<number, Channel>();
  readonly #reader = new FrameReader(this);
  readonly #timer: Disposable;
  /** Channels that wait for space in the send buffer. */
  readonly #waiting = new Set<Channel>();
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #isWriteScheduled = false;
  #isBlocked = false;
  #lastId = 0;
  #silentIntervals = 0;
  #isRetired = false;
  #error: FrameError | undefined;

  /**
   * @param socket the socket of the connection, after the HTTP upgrade was completed
   * @param head bytes after the HTTP upgrade that were already read from the socket
   */
  constructor(socket: Socket, head: Buffer, dependencies: ChannelsDependencies) {
    this.#socket = socket;
    this.#dependencies = dependencies;
    this.#timer = dependencies.clock.every(ALIVE_MS, () => this.#beat());
    socket.setNoDelay(true);
    // After an error the socket also emits `close`, which is handled below.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#handleClose());
    socket.on('drain', () => {
      this.#isBlocked = false;
      this.#write();
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    if (head.length > 0) this.#read(head);
    socket.resume();
  }

  /** Number of open channels. */
  get size(): number {
    return this.#open.size;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Opens a channel. If the connection is already closed, the channel is destroyed with an error. */
  open(): Channel {
    do this.#lastId = (this.#lastId % CHANNEL_ID_MAX) + 1;
    while (this.#open.has(this.#lastId));
    const channel = new Channel(this.#lastId, this, false);
    this.#open.set(channel.id, channel);
    this.sendControlFrame(FRAME_KINDS.open, channel);
    if (this.isClosed) channel.destroy(new Error('the connection between the backends is closed'));
    return channel;
  }

  /** Closes the connection once its last channel is closed. */
  retire(): void {
    this.#isRetired = true;
    if (this.size === 0) this[Symbol.dispose]();
  }

  /**
   * Closes the connection after the buffered frames were sent. If the other end does not respond, the connection
   * is cut within `ALIVE_MS`.
   */
  [Symbol.dispose](): void {
    this.#isBlocked = false;
    this.#write();
    this.#socket.destroySoon();
    this.#silentIntervals = SILENT_MAX;
  }

  send(channel: Channel, piece: Buffer): boolean {
    if (!this.#hasCapacity) {
      this.#waiting.add(channel);
      return false;
    }
    this.#addToBatch(frameHead(FRAME_KINDS.data, channel.id, piece.length));
    this.#addToBatch(piece);
    return true;
  }

  sendControlFrame(kind: FrameKind, { id }: Pick<Channel, 'id'>, amount = 0): void {
    this.#addToBatch(frameHead(kind, id, amount));
  }

  forget(channel: Channel): void {
    this.#waiting.delete(channel);
    if (this.#open.get(channel.id) !== channel) return;
    this.#open.delete(channel.id);
    if (this.#isRetired && this.size === 0 && !this.isClosed) this[Symbol.dispose]();
  }

  handleControlFrame(kind: FrameKind, id: number, amount: number): void {
    // `channel` is undefined if the other end sent the frame before it learned that this end has closed the channel.
    const channel = this.#open.get(id);
    if (kind === FRAME_KINDS.open) this.#accept(id);
    else if (kind === FRAME_KINDS.credit) channel?.handleCredit(amount);
    else if (kind === FRAME_KINDS.end) channel?.handleEnd();
    else if (kind === FRAME_KINDS.gone && channel !== undefined) {
      this.forget(channel);
      channel.handlePeerClose();
    }
  }

  handleData(id: number, piece: Buffer): void {
    this.#open.get(id)?.handleData(piece);
  }

  get #hasCapacity(): boolean {
    return !this.#isBlocked && this.#batchBytes < BATCH_BYTES_MAX;
  }

  #accept(id: number): void {
    const { accept } = this.#dependencies;
    if (accept === undefined) throw new FrameError('the other cluster member may not open channels on this connection');
    if (this.#open.has(id)) throw new FrameError(`the other cluster member opened the channel ${String(id)} twice`);
    const channel = new Channel(id, this, true);
    this.#open.set(id, channel);
    accept(channel);
  }

  #read(chunk: Buffer): void {
    this.#silentIntervals = 0;
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#error = error;
      this.#socket.destroy();
    }
  }

  #addToBatch(bytes: Buffer): void {
    if (this.isClosed) return;
    this.#batch.push(bytes);
    this.#batchBytes += bytes.length;
    if (this.#isWriteScheduled) return;
    this.#isWriteScheduled = true;
    // All frames of one event loop turn are sent in one write, which halves the cost of a frame.
    setImmediate(() => {
      this.#isWriteScheduled = false;
      this.#write();
    });
  }

  #write(): void {
    if (this.#isBlocked || this.#socket.destroyed) return;
    if (this.#batchBytes > 0) {
      const bytes = Buffer.concat(this.#batch, this.#batchBytes);
      this.#batch = [];
      this.#batchBytes = 0;
      this.#isBlocked = !this.#socket.write(bytes);
    }
    for (const channel of this.#waiting) {
      if (!this.#hasCapacity) return;
      this.#waiting.delete(channel);
      channel.sendWaitingData();
    }
  }

  #beat(): void {
    // Counts intervals, not elapsed time. After the process was suspended, it can thus read the frames that have
    // arrived before it closes the connection.
    if (++this.#silentIntervals > SILENT_MAX) this.#socket.destroy();
    else if (this.#batchBytes === 0) this.#addToBatch(frameHead(FRAME_KINDS.alive, 0, 0));
  }

  #handleClose(): void {
    this.#timer[Symbol.dispose]();
    this.#waiting.clear();
    this.#batch = [];
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const channel of open) channel.handlePeerClose();
    this.#dependencies.onClose(this.#error);
  }
}
