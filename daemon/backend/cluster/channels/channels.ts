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

/** Interval of the frames that show that an end is alive. */
const ALIVE_MS = 2500;

/** Number of intervals without a frame after which the connection is closed: 10 seconds. */
const SILENT_MAX = 4;

/** Maximum bytes of one batched write; beyond it channels wait for their turn. */
const BATCH_BYTES_MAX = 256 * 1024;

const CHANNEL_ID_MAX = 0xffffffff;

interface ChannelsParts {
  /** Accepts channels that the other end opens; absent: it opens none. */
  readonly accept?: (channel: Channel) => void;
  readonly clock: Pick<Clock, 'every'>;
  /** Called once, when the connection is closed. @param error the other end's protocol violation; undefined: none */
  readonly onClose: (error: FrameError | undefined) => void;
}

/**
 * One connection between two backends, with any number of channels in it. Each channel has its own window, so that a
 * slow reader delays no other channel and uses bounded memory. If the connection is slower than all of them, the
 * channels send in turns.
 *
 * It is not HTTP/2, which could do the same. An HTTP/2 stream takes 15 kB of the two processes and as much CPU per
 * frame as a socket. A channel takes 3 kB and two thirds of that CPU, and a socket takes 5 kB (20,000 of each, Node
 * 24).
 */
export class Channels implements ChannelCarrier, ChannelFrameHandler, Disposable {
  readonly #socket: Socket;
  readonly #parts: ChannelsParts;
  readonly #open = new Map<number, Channel>();
  readonly #reader = new FrameReader(this);
  readonly #timer: Disposable;
  /** Channels that have data to send and wait for space. */
  readonly #waiting = new Set<Channel>();
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #isToWrite = false;
  #isBlocked = false;
  #lastId = 0;
  #silent = 0;
  #isRetired = false;
  #error: FrameError | undefined;

  /**
   * @param socket after both ends have agreed on the protocol
   * @param head the bytes that were read after the handshake
   */
  constructor(socket: Socket, head: Buffer, parts: ChannelsParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#timer = parts.clock.every(ALIVE_MS, () => this.#beat());
    socket.setNoDelay(true);
    // A socket with an error also emits `close`.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('close', () => this.#closed());
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

  /** Opens a channel; it is closed at once if the connection is. */
  open(): Channel {
    do this.#lastId = (this.#lastId % CHANNEL_ID_MAX) + 1;
    while (this.#open.has(this.#lastId));
    const channel = new Channel(this.#lastId, this, false);
    this.#open.set(channel.id, channel);
    this.say(FRAME_KINDS.open, channel);
    if (this.isClosed) channel.destroy(new Error('the connection between the backends is closed'));
    return channel;
  }

  /** Closes the connection once its last channel is closed. */
  retire(): void {
    this.#isRetired = true;
    if (this.size === 0) this[Symbol.dispose]();
  }

  /** Closes the connection after everything was sent. If the other end no longer reads, it is closed a moment later. */
  [Symbol.dispose](): void {
    this.#isBlocked = false;
    this.#write();
    this.#socket.destroySoon();
    this.#silent = SILENT_MAX;
  }

  send(channel: Channel, piece: Buffer): boolean {
    if (!this.#hasCapacity) {
      this.#waiting.add(channel);
      return false;
    }
    this.#put(frameHead(FRAME_KINDS.data, channel.id, piece.length));
    this.#put(piece);
    return true;
  }

  say(kind: FrameKind, { id }: Pick<Channel, 'id'>, amount = 0): void {
    this.#put(frameHead(kind, id, amount));
  }

  forget(channel: Channel): void {
    this.#waiting.delete(channel);
    if (this.#open.get(channel.id) !== channel) return;
    this.#open.delete(channel.id);
    if (this.#isRetired && this.size === 0 && !this.isClosed) this[Symbol.dispose]();
  }

  heard(kind: FrameKind, id: number, amount: number): void {
    // Undefined for frames that the other end sent before it learned that the channel is closed.
    const channel = this.#open.get(id);
    if (kind === FRAME_KINDS.open) this.#accept(id);
    else if (kind === FRAME_KINDS.credit) channel?.heardCredit(amount);
    else if (kind === FRAME_KINDS.end) channel?.heardEnd();
    else if (kind === FRAME_KINDS.gone && channel !== undefined) {
      this.forget(channel);
      channel.heardGone();
    }
  }

  heardData(id: number, piece: Buffer): void {
    this.#open.get(id)?.heardData(piece);
  }

  get #hasCapacity(): boolean {
    return !this.#isBlocked && this.#batchBytes < BATCH_BYTES_MAX;
  }

  #accept(id: number): void {
    const { accept } = this.#parts;
    if (accept === undefined) throw new FrameError('the other cluster member may not open channels on this connection');
    if (this.#open.has(id)) throw new FrameError(`the other cluster member opened the channel ${String(id)} twice`);
    const channel = new Channel(id, this, true);
    this.#open.set(id, channel);
    accept(channel);
  }

  #read(chunk: Buffer): void {
    this.#silent = 0;
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#error = error;
      this.#socket.destroy();
    }
  }

  #put(bytes: Buffer): void {
    if (this.isClosed) return;
    this.#batch.push(bytes);
    this.#batchBytes += bytes.length;
    if (this.#isToWrite) return;
    this.#isToWrite = true;
    // Frames caused by the same events share one write, which saves half of the cost of a frame.
    setImmediate(() => {
      this.#isToWrite = false;
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
      channel.proceed();
    }
  }

  #beat(): void {
    // Counted, not measured: after a pause of this process the frames that arrived meanwhile are read first.
    if (++this.#silent > SILENT_MAX) this.#socket.destroy();
    else if (this.#batchBytes === 0) this.#put(frameHead(FRAME_KINDS.alive, 0, 0));
  }

  #closed(): void {
    this.#timer[Symbol.dispose]();
    this.#waiting.clear();
    this.#batch = [];
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const channel of open) channel.heardGone();
    this.#parts.onClose(this.#error);
  }
}
