import { Duplex } from 'node:stream';
import { DATA_BYTES_MAX, FRAME_KINDS, FrameError, WINDOW_BYTES, type FrameKind } from './channel-frame.ts';

/** What is read ahead of who reads, beside the window, bytes. */
const READ_AHEAD_BYTES = 16 * 1024;

/** What a channel needs of the connection that it is in. */
export interface ChannelCarrier {
  /** Of the other end. */
  readonly remoteAddress: string | undefined;
  /** @returns false when there is no room: `proceed` is called once there is */
  send(channel: Channel, piece: Buffer): boolean;
  /** Anything but data. */
  say(kind: FrameKind, channel: Channel, amount?: number): void;
  /** The channel is over at this end. */
  forget(channel: Channel): void;
}

type Done = (error?: Error | null) => void;

/**
 * One of many connections within a connection; has what a socket has that is asked for here. As with a socket, what was said
 * before the other end let go can still be read, and what is said to it then is an error.
 */
export class Channel extends Duplex {
  /** Within its connection. */
  readonly id: number;
  bytesRead = 0;
  readonly #carrier: ChannelCarrier;
  #sentBytes = 0;
  #credit = WINDOW_BYTES;
  /** What was read and the other end may not replace yet. */
  #takenBytes = 0;
  /** What waits for credit or room, and who is told when it is on its way. */
  #unsent: Buffer | undefined;
  #done: Done | undefined;
  #hasEnded = false;
  #hasHeardEnd = false;
  #isLeft = false;

  /** @param allowHalfOpen whether it goes on to send when the other end sends nothing more */
  constructor(id: number, carrier: ChannelCarrier, allowHalfOpen: boolean) {
    super({ allowHalfOpen, readableHighWaterMark: READ_AHEAD_BYTES });
    this.id = id;
    this.#carrier = carrier;
  }

  get remoteAddress(): string | undefined {
    return this.#carrier.remoteAddress;
  }

  /** As with a socket, with what waits to be sent. */
  get bytesWritten(): number {
    return this.#sentBytes + this.writableLength;
  }

  /** Ends it when all is sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /** Sends what waits, as far as it may go. */
  proceed(): void {
    if (this.#unsent === undefined) return;
    if (this.#isLeft) this.#settle(brokenPipe());
    else if (this.#sendUnsent()) this.#settle();
  }

  /** @throws FrameError when it was more than it may be */
  heardData(piece: Buffer): void {
    this.#takenBytes += piece.length;
    if (this.#takenBytes > WINDOW_BYTES || this.#hasHeardEnd) throw new FrameError('more was sent than may be');
    this.bytesRead += piece.length;
    // A small piece would keep all in memory that was read with it.
    const isSmall = piece.length * 2 < piece.buffer.byteLength;
    if (this.push(isSmall ? Buffer.from(piece) : piece)) this.#grant();
  }

  /** @throws FrameError when that is more than was sent */
  heardCredit(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > WINDOW_BYTES) throw new FrameError('more was taken than was sent');
    this.proceed();
  }

  heardEnd(): void {
    if (this.#hasHeardEnd) return;
    this.#hasHeardEnd = true;
    this.push(null);
  }

  heardGone(): void {
    this.#isLeft = true;
    this.heardEnd();
    this.proceed();
  }

  override _read(): void {
    this.#grant();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#unsent = chunk;
    this.#done = done;
    this.proceed();
  }

  override _final(done: Done): void {
    this.#hasEnded = true;
    if (!this.#isLeft) this.#carrier.say(FRAME_KINDS.end, this);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    const isOver = this.#hasEnded && this.#hasHeardEnd;
    if (!this.#isLeft && !isOver) this.#carrier.say(FRAME_KINDS.gone, this);
    this.#carrier.forget(this);
    this.#settle(error ?? brokenPipe());
    done(error);
  }

  /** @returns whether that was all */
  #sendUnsent(): boolean {
    let left = this.#unsent;
    while (left !== undefined && left.length > 0) {
      const bytes = Math.min(left.length, this.#credit, DATA_BYTES_MAX);
      if (bytes === 0 || !this.#carrier.send(this, left.subarray(0, bytes))) return false;
      this.#credit -= bytes;
      this.#sentBytes += bytes;
      left = left.subarray(bytes);
      this.#unsent = left;
    }
    return true;
  }

  #settle(error?: Error): void {
    const done = this.#done;
    this.#unsent = undefined;
    this.#done = undefined;
    done?.(error);
  }

  /** Says seldom what was taken: each time half of what may be on its way. */
  #grant(): void {
    if (this.#takenBytes < WINDOW_BYTES / 2 || this.#hasHeardEnd) return;
    this.#carrier.say(FRAME_KINDS.credit, this, this.#takenBytes);
    this.#takenBytes = 0;
  }
}

function brokenPipe(): Error {
  return Object.assign(new Error('the other end has let go of the channel'), { code: 'EPIPE' });
}
