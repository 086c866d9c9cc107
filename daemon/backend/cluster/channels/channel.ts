import { Duplex } from 'node:stream';
import { DATA_BYTES_MAX, FRAME_KINDS, FrameError, WINDOW_BYTES, type FrameKind } from './channel-frame.ts';

/** High-water mark of the read buffer of a channel, in bytes. While it is reached, the sender gets no more credit. */
const READ_AHEAD_BYTES = 16 * 1024;

/** The shared connection that sends the frames of its channels. */
export interface ChannelCarrier {
  /** IP address of the other end of the connection. */
  readonly remoteAddress: string | undefined;
  /** Sends data. @returns false if the send buffer is full; `Channel.sendWaitingData` is called once there is space */
  send(channel: Channel, piece: Buffer): boolean;
  /** Sends a frame of any kind except `data`. */
  sendControlFrame(kind: FrameKind, channel: Channel, amount?: number): void;
  /** Removes a channel that this end has closed. */
  forget(channel: Channel): void;
}

type WriteCallback = (error?: Error | null) => void;

/**
 * A bidirectional stream that shares a connection with other channels. It implements the methods of a socket that its
 * users call. As with a socket, data that the other end sent before closing can still be read, but a write fails.
 */
export class Channel extends Duplex {
  /** Number of the channel within its connection. */
  readonly id: number;
  bytesRead = 0;
  readonly #carrier: ChannelCarrier;
  #sentBytes = 0;
  #credit = WINDOW_BYTES;
  /** Received bytes for which this end has not granted new credit to the other end yet. */
  #takenBytes = 0;
  /** Data that waits for credit of the other end or for space in the send buffer. */
  #unsent: Buffer | undefined;
  #done: WriteCallback | undefined;
  #hasEnded = false;
  #hasHeardEnd = false;
  #isLeft = false;

  /** @param allowHalfOpen true if this end is allowed to send even after the other end has ended its sending side */
  constructor(id: number, carrier: ChannelCarrier, allowHalfOpen: boolean) {
    super({ allowHalfOpen, readableHighWaterMark: READ_AHEAD_BYTES });
    this.id = id;
    this.#carrier = carrier;
  }

  get remoteAddress(): string | undefined {
    return this.#carrier.remoteAddress;
  }

  /** Number of bytes written, including data that waits to be sent, as `Socket.bytesWritten` counts them. */
  get bytesWritten(): number {
    return this.#sentBytes + this.writableLength;
  }

  /** Closes the channel after all written data was sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /**
   * Sends waiting data as far as the credit and the send buffer allow. Fails the write if the other end has closed the
   * channel.
   */
  sendWaitingData(): void {
    if (this.#unsent === undefined) return;
    if (this.#isLeft) this.#settle(brokenPipe());
    else if (this.#sendUnsent()) this.#settle();
  }

  /** Handles received data. @throws FrameError if the data exceeds the window, or follows an `end` frame */
  heardData(piece: Buffer): void {
    this.#takenBytes += piece.length;
    if (this.#takenBytes > WINDOW_BYTES || this.#hasHeardEnd)
      throw new FrameError('the other cluster member sent more data than the flow control window allows');
    this.bytesRead += piece.length;
    // A small piece of a chunk is copied, because a reference to the piece would keep the whole chunk in memory.
    const isSmall = piece.length * 2 < piece.buffer.byteLength;
    if (this.push(isSmall ? Buffer.from(piece) : piece)) this.#grant();
  }

  /** Handles received credit. @throws FrameError if the credit exceeds the number of bytes sent */
  heardCredit(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > WINDOW_BYTES)
      throw new FrameError('the other cluster member acknowledged more data than was sent');
    this.sendWaitingData();
  }

  heardEnd(): void {
    if (this.#hasHeardEnd) return;
    this.#hasHeardEnd = true;
    this.push(null);
  }

  handlePeerClose(): void {
    this.#isLeft = true;
    this.heardEnd();
    this.sendWaitingData();
  }

  override _read(): void {
    this.#grant();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#unsent = chunk;
    this.#done = done;
    this.sendWaitingData();
  }

  override _final(done: WriteCallback): void {
    this.#hasEnded = true;
    if (!this.#isLeft) this.#carrier.sendControlFrame(FRAME_KINDS.end, this);
    done();
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    const isOver = this.#hasEnded && this.#hasHeardEnd;
    if (!this.#isLeft && !isOver) this.#carrier.sendControlFrame(FRAME_KINDS.gone, this);
    this.#carrier.forget(this);
    this.#settle(error ?? brokenPipe());
    done(error);
  }

  /**
   * Sends waiting data as far as credit and send buffer allow.
   *
   * @returns true if all of it was sent; false if some still waits
   */
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

  /**
   * Grants new credit to the sender once half of the window was received. A credit frame after each read would cost
   * more.
   */
  #grant(): void {
    if (this.#takenBytes < WINDOW_BYTES / 2 || this.#hasHeardEnd) return;
    this.#carrier.sendControlFrame(FRAME_KINDS.credit, this, this.#takenBytes);
    this.#takenBytes = 0;
  }
}

function brokenPipe(): Error {
  return Object.assign(new Error('the other cluster member has closed the connection'), { code: 'EPIPE' });
}
