import type { Socket } from 'node:net';
import type { Clock } from '../../ports.ts';
import { Channel, type ChannelCarrier } from './channel.ts';
import { FRAME_KINDS, frameHead, FrameError, FrameReader, type FrameKind, type FrameSink } from './channel-frame.ts';

/** How often an end says that it is there. */
const ALIVE_MS = 2500;

/** How often in a row it may have heard nothing: 10 seconds. */
const SILENT_MAX = 4;

/** What is put together for one writing, bytes: beyond it channels wait for their turn. */
const BATCH_BYTES_MAX = 256 * 1024;

const CHANNEL_ID_MAX = 0xffffffff;

interface ChannelsParts {
  /** Takes what the other end opens; absent: it opens nothing. */
  readonly accept?: (channel: Channel) => void;
  readonly clock: Pick<Clock, 'every'>;
  /** Told once, when the connection is gone. @param error what the other end has said against the rules; undefined: nothing */
  readonly onClose: (error: FrameError | undefined) => void;
}

/**
 * One connection between two backends, with any number of channels in it. Each has a window of its own, so that one whose reader
 * is slow holds up nobody else and takes a bounded memory; they send in turns when the connection is slower than all of them.
 *
 * Not HTTP/2, which could do the same: a stream of it takes 15 kB of the two processes and as much CPU per frame as a socket, a
 * channel 3 kB and two thirds of that CPU, where a socket takes 5 kB (20,000 of each, Node 24).
 */
export class Channels implements ChannelCarrier, FrameSink, Disposable {
  readonly #socket: Socket;
  readonly #parts: ChannelsParts;
  readonly #open = new Map<number, Channel>();
  readonly #reader = new FrameReader(this);
  readonly #timer: Disposable;
  /** Channels that have something to send, and no room. */
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
   * @param socket after both ends have agreed on this
   * @param head what was read behind that
   */
  constructor(socket: Socket, head: Buffer, parts: ChannelsParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#timer = parts.clock.every(ALIVE_MS, () => this.#beat());
    socket.setNoDelay(true);
    // One that broke also closes.
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

  /** Channels now. */
  get size(): number {
    return this.#open.size;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** A new channel; one that is closed at once when the connection is. */
  open(): Channel {
    do this.#lastId = (this.#lastId % CHANNEL_ID_MAX) + 1;
    while (this.#open.has(this.#lastId));
    const channel = new Channel(this.#lastId, this, false);
    this.#open.set(channel.id, channel);
    this.say(FRAME_KINDS.open, channel);
    if (this.isClosed) channel.destroy(new Error('the connection between the backends is closed'));
    return channel;
  }

  /** Closes the connection once its last channel is over. */
  retire(): void {
    this.#isRetired = true;
    if (this.size === 0) this[Symbol.dispose]();
  }

  /** Closes the connection, with all that was said before; one that is not read any more a moment later. */
  [Symbol.dispose](): void {
    this.#isBlocked = false;
    this.#write();
    this.#socket.destroySoon();
    this.#silent = SILENT_MAX;
  }

  send(channel: Channel, piece: Buffer): boolean {
    if (!this.#hasRoom) {
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
    // What was said before the other end knew that a channel is over.
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

  get #hasRoom(): boolean {
    return !this.#isBlocked && this.#batchBytes < BATCH_BYTES_MAX;
  }

  #accept(id: number): void {
    const { accept } = this.#parts;
    if (accept === undefined) throw new FrameError('channels are opened by the other end');
    if (this.#open.has(id)) throw new FrameError(`channel ${String(id)} is open already`);
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
    // Whatever the same events bring goes in one writing: that is half of what a frame costs.
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
      if (!this.#hasRoom) return;
      this.#waiting.delete(channel);
      channel.proceed();
    }
  }

  #beat(): void {
    // Counted, not measured: after a pause of this process what has come meanwhile is read first.
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
