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
  #uncreditedBytes = 0;
  /** Data that waits for credit of the other end or for space in the send buffer. */
  #unsent: Buffer | undefined;
  #writeCallback: WriteCallback | undefined;
  #hasEnded = false;
  #hasReceivedEnd = false;
  #hasPeerClosed = false;

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
    if (this.#hasPeerClosed) this.#completeWrite(brokenPipe());
    else if (this.#sendUnsent()) this.#completeWrite();
  }

  /** Handles received data. @throws FrameError if the data exceeds the window, or follows an `end` frame */
  handleData(piece: Buffer): void {
    this.#uncreditedBytes += piece.length;
    if (this.#uncreditedBytes > WINDOW_BYTES || this.#hasReceivedEnd)
      throw new FrameError('the other cluster member sent more data than the flow control window allows');
    this.bytesRead += piece.length;
    // A small piece of a chunk is copied, because a reference to the piece would keep the whole chunk in memory.
    const isSmall = piece.length * 2 < piece.buffer.byteLength;
    if (this.push(isSmall ? Buffer.from(piece) : piece)) this.#grant();
  }

  /** Handles received credit. @throws FrameError if the credit exceeds the number of bytes sent */
  handleCredit(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > WINDOW_BYTES)
      throw new FrameError('the other cluster member acknowledged more data than was sent');
    this.sendWaitingData();
  }

  handleEnd(): void {
    if (this.#hasReceivedEnd) return;
    this.#hasReceivedEnd = true;
    this.push(null);
  }

  handlePeerClose(): void {
    this.#hasPeerClosed = true;
    this.handleEnd();
    this.sendWaitingData();
  }

  override _read(): void {
    this.#grant();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#unsent = chunk;
    this.#writeCallback = done;
    this.sendWaitingData();
  }

  override _final(done: WriteCallback): void {
    this.#hasEnded = true;
    if (!this.#hasPeerClosed) this.#carrier.sendControlFrame(FRAME_KINDS.end, this);
    done();
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    const isOver = this.#hasEnded && this.#hasReceivedEnd;
    if (!this.#hasPeerClosed && !isOver) this.#carrier.sendControlFrame(FRAME_KINDS.gone, this);
    this.#carrier.forget(this);
    this.#completeWrite(error ?? brokenPipe());
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

  #completeWrite(error?: Error): void {
    const done = this.#writeCallback;
    this.#unsent = undefined;
    this.#writeCallback = undefined;
    done?.(error);
  }

  /**
   * Grants new credit to the sender once half of the window was received. A credit frame after each read would cost
   * more.
   */
  #grant(): void {
    if (this.#uncreditedBytes < WINDOW_BYTES / 2 || this.#hasReceivedEnd) return;
    this.#carrier.sendControlFrame(FRAME_KINDS.credit, this, this.#uncreditedBytes);
    this.#uncreditedBytes = 0;
  }
}

function brokenPipe(): Error {
  return Object.assign(new Error('the other cluster member has closed the connection'), { code: 'EPIPE' });
}
