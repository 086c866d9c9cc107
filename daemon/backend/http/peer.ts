import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A WebSocket, as far as memory goes. */
export interface Frames {
  /** Bytes up to the end of the last message that was dealt with. */
  readonly doneBytes: number;
}

/** One connection, as far as memory goes: what waits to be sent to it, and what it has not finished saying. */
export class Peer {
  readonly socket: Socket;
  /** Its requests that are not answered yet. */
  readonly #answers = new Set<ServerResponse>();
  /** Starts the requests that were sent ahead, in their order. */
  readonly #waiting: (() => void)[] = [];
  /** Bytes of the registry that its answers hold on to. */
  #held = 0;
  /** What was read up to here is dealt with; of frames the socket knows it. */
  #doneBytes: number;
  #frames: Frames | undefined;
  #takenBytes = 0;
  #takenMs: number;

  /** @param nowMs on the monotonic clock */
  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.#takenMs = nowMs;
    this.#doneBytes = socket.bytesRead;
  }

  /** Requests that are not answered yet: a client may send them ahead. */
  get pending(): number {
    return this.#answers.size;
  }

  /**
   * Starts one request after the other: the next one when the socket has taken the answer to the last. If the
   * connection is closed by then, nobody wants the answers to the others, and none of them starts.
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
    this.#held = 0;
  }

  /** Notes memory that an answer keeps as long as it lasts; less than nothing: it does so no more. */
  hold(bytes: number): void {
    this.#held = Math.max(0, this.#held + bytes);
  }

  /** It speaks WebSocket from now on: whatever it has not finished of a message waits in memory. */
  speaksFrames(frames: Frames): void {
    this.#frames = frames;
  }

  /** Bytes that wait in memory because of it. */
  get waitingBytes(): number {
    const { socket } = this;
    let bytes = socket.writableLength + (socket.bytesRead - (this.#frames?.doneBytes ?? this.#doneBytes)) + this.#held;
    for (const answer of this.#answers) if (answer.socket === null) bytes += answer.writableLength;
    return bytes;
  }

  /** For how long it has taken nothing of what there is for it. */
  stalledMs(nowMs: number): number {
    const { writableLength } = this.socket;
    const takenBytes = writableLength === 0 ? 0 : this.socket.bytesWritten - writableLength;
    if (writableLength === 0 || takenBytes !== this.#takenBytes) this.#takenMs = nowMs;
    this.#takenBytes = takenBytes;
    return nowMs - this.#takenMs;
  }
}
