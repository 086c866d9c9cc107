import type { Socket } from 'node:net';
import { WebSocket } from 'ws';

/** What may wait in memory for a peer that does not read, bytes; check requests are small and come again. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/** Longest head of a frame from a client: two bytes, the length, the mask (RFC 6455, 5.2). */
const CLIENT_HEAD_BYTES = { short: 6, medium: 8, long: 14 } as const;

/** Most of what one reading of a socket brings. */
const READING_BYTES_MAX = 64 * 1024;

/** The last frame of a text (RFC 6455, 5.2). */
const FINAL_TEXT = 0x81;

/** Longest payload whose length needs no further bytes, and two of them. */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;

/**
 * A WebSocket of one of the endpoints. Half of what a result costs beside thousands of agents is writing to sockets, so
 * a frame leaves in one write, where `send` takes two, and one that goes to many agents is made once.
 */
export class FrameSocket extends WebSocket {
  #wire: Socket | undefined;
  #doneBytes = 0;

  /** To be called once, before anything is sent. */
  speakOver(wire: Socket): void {
    this.#wire = wire;
    this.#doneBytes = wire.bytesRead;
  }

  /** What was read from the wire up to here came whole; what follows waits in memory for its end. */
  get doneBytes(): number {
    return this.#doneBytes;
  }

  // Counted here and not by a listener, because two listeners cost each message more than all that is done with it.
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'message') this.#finishMessage(args[0] as Buffer);
    else if (event === 'ping' || event === 'pong') this.#finishFrame(args[0] as Buffer);
    return super.emit(event, ...args);
  }

  /**
   * Sends a frame, or cuts off a peer that has not read for so long that its frames would fill the memory.
   *
   * @returns false when the connection is on its way out
   */
  sendFrame(frame: Buffer): boolean {
    if (this.readyState !== this.OPEN) return false;
    if (this.bufferedAmount > BUFFERED_BYTES_MAX) {
      this.terminate();
      return false;
    }
    // Nothing is compressed, so nothing that `send` was given before is still on its way to the wire.
    this.#wire?.write(frame);
    return true;
  }

  #finishMessage(message: Buffer): void {
    this.#finishFrame(message);
    // What follows it came with the same reading. The heads of the parts of one message are not known.
    this.#doneBytes = Math.max(this.#doneBytes, (this.#wire?.bytesRead ?? 0) - READING_BYTES_MAX);
  }

  #finishFrame({ length }: Buffer): void {
    const { short, medium, long } = CLIENT_HEAD_BYTES;
    this.#doneBytes += length + (length <= SHORT_MAX ? short : length <= MEDIUM_MAX ? medium : long);
  }
}

/** A text as the one frame that carries it from a server. */
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
