import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The memory usage of a WebSocket. */
export interface FrameProgress {
  /** Bytes up to the end of the last message that was processed. */
  readonly doneBytes: number;
}

/** The memory usage of one connection: unsent data, and incomplete requests or messages. */
export class Peer {
  readonly socket: Socket;
  /** Its unanswered requests. */
  readonly #answers = new Set<ServerResponse>();
  /** Starts pipelined requests in order. */
  readonly #waiting: (() => void)[] = [];
  /** Bytes of the registry that its responses reference. */
  #referencedBytes = 0;
  /** Number of bytes that were read and processed; for WebSockets see `FrameProgress`. */
  #doneBytes: number;
  #frames: FrameProgress | undefined;
  #takenBytes = 0;
  #takenMs: number;

  /** @param nowMs on the monotonic clock */
  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.#takenMs = nowMs;
    this.#doneBytes = socket.bytesRead;
  }

  /** Number of unanswered requests, which a client may pipeline. */
  get pending(): number {
    return this.#answers.size;
  }

  /**
   * Starts one request after the other: the next one when the socket has sent the previous response. If the connection
   * is closed by then, the other requests are not started.
   */
  began(answer: ServerResponse, start: () => void): void {
    this.#answers.add(answer);
    if (this.#answers.size === 1) start();
    else this.#waiting.push(start);
  }

  ended(answer: ServerResponse): void {
    this.#answers.delete(answer);
    if (this.socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (this.#answers.size > 0) return;
    this.#doneBytes = this.socket.bytesRead;
    this.#referencedBytes = 0;
  }

  /** Adds memory that a response holds while it is sent; a negative number releases it. */
  hold(bytes: number): void {
    this.#referencedBytes = Math.max(0, this.#referencedBytes + bytes);
  }

  /** Switches to WebSocket accounting: incomplete messages wait in memory. */
  speaksFrames(frames: FrameProgress): void {
    this.#frames = frames;
  }

  /** Bytes that wait in memory because of this connection. */
  get waitingBytes(): number {
    const { socket } = this;
    let bytes =
      socket.writableLength + (socket.bytesRead - (this.#frames?.doneBytes ?? this.#doneBytes)) + this.#referencedBytes;
    for (const answer of this.#answers) if (answer.socket === null) bytes += answer.writableLength;
    return bytes;
  }

  /** Returns the time for which the connection accepted no waiting data. */
  stalledMs(nowMs: number): number {
    const { writableLength } = this.socket;
    const takenBytes = writableLength === 0 ? 0 : this.socket.bytesWritten - writableLength;
    if (writableLength === 0 || takenBytes !== this.#takenBytes) this.#takenMs = nowMs;
    this.#takenBytes = takenBytes;
    return nowMs - this.#takenMs;
  }
}
