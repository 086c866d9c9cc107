import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The progress of reading messages from a WebSocket, used to measure the memory of the connection. */
export interface FrameProgress {
  /** Number of received bytes that belong to messages that were already processed. */
  readonly completedBytes: number;
}

/** Measures the memory usage of one connection: unsent data, and incomplete requests or messages. */
export class Peer {
  readonly socket: Socket;
  /** The responses that are not complete yet. */
  readonly #openResponses = new Set<ServerResponse>();
  /** Callbacks that start the waiting pipelined requests, in order. */
  readonly #waiting: (() => void)[] = [];
  /** Number of bytes that unfinished responses keep in memory in addition to the buffers of the socket. */
  #referencedBytes = 0;
  /**
   * Number of bytes that had been received when all requests were last answered; a WebSocket has `FrameProgress`
   * instead.
   */
  #doneBytes: number;
  #frames: FrameProgress | undefined;
  #takenBytes = 0;
  #takenMs: number;

  /** @param nowMs current time of the monotonic clock, milliseconds */
  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.#takenMs = nowMs;
    this.#doneBytes = socket.bytesRead;
  }

  /** Number of unanswered requests; a client can pipeline several requests. */
  get pending(): number {
    return this.#openResponses.size;
  }

  /**
   * Registers a request, and starts it after the previous response on the connection was sent. If the connection is
   * closed by then, the request is not started.
   *
   * @param start callback that starts the request
   */
  beginRequest(answer: ServerResponse, start: () => void): void {
    this.#openResponses.add(answer);
    if (this.#openResponses.size === 1) start();
    else this.#waiting.push(start);
  }

  endRequest(answer: ServerResponse): void {
    this.#openResponses.delete(answer);
    if (this.socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (this.#openResponses.size > 0) return;
    this.#doneBytes = this.socket.bytesRead;
    this.#referencedBytes = 0;
  }

  /** Adds to the number of bytes that a response keeps in memory while it is sent; a negative number subtracts. */
  addBufferedBytes(bytes: number): void {
    this.#referencedBytes = Math.max(0, this.#referencedBytes + bytes);
  }

  /** Switches to the memory accounting of WebSockets, where incomplete messages are buffered instead of requests. */
  onFramesStarted(frames: FrameProgress): void {
    this.#frames = frames;
  }

  /** Number of bytes that this connection keeps buffered in memory. */
  get waitingBytes(): number {
    const { socket } = this;
    let bytes =
      socket.writableLength +
      (socket.bytesRead - (this.#frames?.completedBytes ?? this.#doneBytes)) +
      this.#referencedBytes;
    for (const answer of this.#openResponses) if (answer.socket === null) bytes += answer.writableLength;
    return bytes;
  }

  /** Returns for how many milliseconds the peer has accepted no data although data is buffered for it; 0 if none is. */
  stalledMs(nowMs: number): number {
    const { writableLength } = this.socket;
    const takenBytes = writableLength === 0 ? 0 : this.socket.bytesWritten - writableLength;
    if (writableLength === 0 || takenBytes !== this.#takenBytes) this.#takenMs = nowMs;
    this.#takenBytes = takenBytes;
    return nowMs - this.#takenMs;
  }
}
