import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/** The maximum number of bytes in memory for a peer that does not read. Check requests are small and are sent again. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/** The maximum size of a frame header from a client: two bytes, the length, the mask (RFC 6455, 5.2). */
const CLIENT_HEAD_BYTES = { short: 6, medium: 8, long: 14 } as const;

/** The maximum number of bytes of one read from a socket. */
const READING_BYTES_MAX = 64 * 1024;

/** The first byte of the last frame of a text message (RFC 6455, 5.2). */
const FINAL_TEXT = 0x81;

/** The maximum payload length without extra length bytes, and with two of them. */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;

/**
 * A WebSocket of one of the endpoints. With thousands of agents, half the cost of a result is writing to sockets. So a
 * frame takes one write, where `send` takes two, and a frame for many agents is built once.
 */
export class FrameSocket extends WebSocket {
  #wire: Socket | undefined;
  #doneBytes = 0;

  /** Sets the socket below the WebSocket. Called once, before anything is sent. */
  speakOver(wire: Socket): void {
    this.#wire = wire;
    this.#doneBytes = wire.bytesRead;
  }

  /**
   * The number of bytes on the wire that belong to complete messages. Later bytes wait in memory for the rest of
   * theirs.
   */
  get doneBytes(): number {
    return this.#doneBytes;
  }

  // Counted here and not in listeners, because two listeners cost more per message than all its other processing.
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'message') this.#finishMessage(args[0] as Buffer);
    else if (event === 'ping' || event === 'pong') this.#finishFrame(args[0] as Buffer);
    return super.emit(event, ...args);
  }

  /**
   * Sends a frame, or cuts off a peer whose unread frames would fill the memory.
   *
   * @returns false if the connection is closing
   */
  sendFrame(frame: Buffer): boolean {
    if (this.readyState !== this.OPEN) return false;
    if (this.bufferedAmount > BUFFERED_BYTES_MAX) {
      this.terminate();
      return false;
    }
    // There is no compression, so everything that `send` was given before is already written.
    this.#wire?.write(frame);
    return true;
  }

  #finishMessage(message: Buffer): void {
    this.#finishFrame(message);
    // The next bytes came with the same read. The headers of a fragmented message are unknown, so this is a lower
    // bound.
    this.#doneBytes = Math.max(this.#doneBytes, (this.#wire?.bytesRead ?? 0) - READING_BYTES_MAX);
  }

  #finishFrame({ length }: Buffer): void {
    const { short, medium, long } = CLIENT_HEAD_BYTES;
    this.#doneBytes += length + (length <= SHORT_MAX ? short : length <= MEDIUM_MAX ? medium : long);
  }
}

/** Returns the single frame in which a server sends a text. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headBytes = length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = FINAL_TEXT;
  if (length <= SHORT_MAX) frame[1] = length;
  else if (length <= MEDIUM_MAX) {
    frame[1] = SHORT_MAX + 1;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = SHORT_MAX + 2;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headBytes);
  return frame;
}
