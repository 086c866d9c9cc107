import { Duplex } from 'node:stream';
import { DATA_BYTES_MAX, FRAME_KINDS, FrameError, WINDOW_BYTES, type FrameKind } from './channel-frame.ts';

/** Bytes that are read ahead of the reader, in addition to the window. */
const READ_AHEAD_BYTES = 16 * 1024;

/** The services that a channel needs from its connection. */
export interface ChannelCarrier {
  /** Address of the other end. */
  readonly remoteAddress: string | undefined;
  /** @returns false if the connection is full: `proceed` is called once there is space */
  send(channel: Channel, piece: Buffer): boolean;
  /** Sends any frame except data. */
  say(kind: FrameKind, channel: Channel, amount?: number): void;
  /** Removes a channel that is closed at this end. */
  forget(channel: Channel): void;
}

type Done = (error?: Error | null) => void;

/**
 * One of many channels within a connection, with the subset of the socket interface that is used here. As with a
 * socket, data that the other end sent before it closed can still be read. A write after that is an error.
 */
export class Channel extends Duplex {
  /** Number of the channel within its connection. */
  readonly id: number;
  bytesRead = 0;
  readonly #carrier: ChannelCarrier;
  #sentBytes = 0;
  #credit = WINDOW_BYTES;
  /** Bytes that were read and not yet returned as credit to the other end. */
  #takenBytes = 0;
  /** Data that waits for credit or space, and the callback for when it was sent. */
  #unsent: Buffer | undefined;
  #done: Done | undefined;
  #hasEnded = false;
  #hasHeardEnd = false;
  #isLeft = false;

  /** @param allowHalfOpen true if it may continue to send after the other end stopped sending */
  constructor(id: number, carrier: ChannelCarrier, allowHalfOpen: boolean) {
    super({ allowHalfOpen, readableHighWaterMark: READ_AHEAD_BYTES });
    this.id = id;
    this.#carrier = carrier;
  }

  get remoteAddress(): string | undefined {
    return this.#carrier.remoteAddress;
  }

  /** Returns the bytes written, as with a socket: including the data that waits to be sent. */
  get bytesWritten(): number {
    return this.#sentBytes + this.writableLength;
  }

  /** Closes the channel when everything is sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /** Sends waiting data as far as credit and space allow. */
  proceed(): void {
    if (this.#unsent === undefined) return;
    if (this.#isLeft) this.#settle(brokenPipe());
    else if (this.#sendUnsent()) this.#settle();
  }

  /** @throws FrameError if the data exceeds the window */
  heardData(piece: Buffer): void {
    this.#takenBytes += piece.length;
    if (this.#takenBytes > WINDOW_BYTES || this.#hasHeardEnd)
      throw new FrameError('the other cluster member sent more data than the flow control window allows');
    this.bytesRead += piece.length;
    // Copied, because a small part would keep the whole chunk in memory that was read with it.
    const isSmall = piece.length * 2 < piece.buffer.byteLength;
    if (this.push(isSmall ? Buffer.from(piece) : piece)) this.#grant();
  }

  /** @throws FrameError if the credit exceeds what was sent */
  heardCredit(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > WINDOW_BYTES)
      throw new FrameError('the other cluster member acknowledged more data than was sent');
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

  /** @returns true if everything was sent */
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

  /** Returns credit only when half of the window was read, to send few frames. */
  #grant(): void {
    if (this.#takenBytes < WINDOW_BYTES / 2 || this.#hasHeardEnd) return;
    this.#carrier.say(FRAME_KINDS.credit, this, this.#takenBytes);
    this.#takenBytes = 0;
  }
}

function brokenPipe(): Error {
  return Object.assign(new Error('the other cluster member has closed the connection'), { code: 'EPIPE' });
}
