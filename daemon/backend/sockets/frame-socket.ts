import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/**
 * Maximum number of unsent bytes in memory for a peer that does not read; above it the connection is closed. A lost
 * check request does little harm: it is small, and the next scheduled run sends a new one.
 */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Header size in bytes of a frame from a client, by the class of its payload length. A header has two bytes, up to
 * eight extra length bytes, and a mask of four bytes (RFC 6455, 5.2).
 */
const CLIENT_HEAD_BYTES = { short: 6, medium: 8, long: 14 } as const;

/** Maximum number of bytes that Node.js reads from a socket at once. */
const READING_BYTES_MAX = 64 * 1024;

/** First byte of a frame that contains a whole text message: the FIN bit and the text opcode (RFC 6455, 5.2). */
const FINAL_TEXT_BYTE = 0x81;

/**
 * Maximum payload lengths of two frame forms: `SHORT_MAX` without extra length bytes, `MEDIUM_MAX` with two of them.
 */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;

/**
 * The server side of a WebSocket connection. With thousands of agents, half the cost of a result is writing to sockets.
 * So a frame is sent with one write, while the `send` of the library needs two. A frame for many agents is built only
 * once.
 */
export class FrameSocket extends WebSocket {
  #wire: Socket | undefined;
  #doneBytes = 0;

  /** Sets the TCP, TLS or Unix domain socket of this connection. Call it once, before any frame is sent. */
  attachSocket(wire: Socket): void {
    this.#wire = wire;
    this.#doneBytes = wire.bytesRead;
  }

  /**
   * Number of received bytes that belong to complete messages, or to the handshake. Bytes beyond this number belong to
   * an incomplete message, which uses memory.
   */
  get completedBytes(): number {
    return this.#doneBytes;
  }

  // Bytes are counted in `emit` and not in event listeners. Two listeners would cost more per message than all other
  // processing.
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'message') this.#finishMessage(args[0] as Buffer);
    else if (event === 'ping' || event === 'pong') this.#finishFrame(args[0] as Buffer);
    return super.emit(event, ...args);
  }

  /**
   * Sends a frame. If too many bytes are buffered because the peer does not read, closes the connection instead.
   *
   * @returns true if the frame was sent; false if the connection is closing or closed
   */
  sendFrame(frame: Buffer): boolean {
    if (this.readyState !== this.OPEN) return false;
    if (this.bufferedAmount > BUFFERED_BYTES_MAX) {
      this.terminate();
      return false;
    }
    // Without compression, `send` of the library writes at once, so this frame cannot overtake an earlier one.
    this.#wire?.write(frame);
    return true;
  }

  #finishMessage(message: Buffer): void {
    this.#finishFrame(message);
    // Bytes after this message arrived in the same read, so they are at most `READING_BYTES_MAX`. This corrects the
    // count for fragmented messages, because the headers of their other frames are not counted.
    this.#doneBytes = Math.max(this.#doneBytes, (this.#wire?.bytesRead ?? 0) - READING_BYTES_MAX);
  }

  #finishFrame({ length }: Buffer): void {
    const { short, medium, long } = CLIENT_HEAD_BYTES;
    this.#doneBytes += length + (length <= SHORT_MAX ? short : length <= MEDIUM_MAX ? medium : long);
  }
}

/** Encodes a text message from the server as a single WebSocket frame. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headBytes = length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = FINAL_TEXT_BYTE;
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
