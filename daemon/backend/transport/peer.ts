import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** Most of what one reading of a socket brings. */
const READING_BYTES_MAX = 64 * 1024;

/** Longest head of a frame from a client: two bytes, the length, the mask (RFC 6455, 5.2). */
const FRAME_HEAD_BYTES = { short: 6, medium: 8, long: 14 } as const;

/** One connection, as far as memory goes: what waits to be sent to it, and what it has not finished saying. */
export class Peer {
  readonly socket: Socket;
  /** Its requests that are not answered yet. */
  readonly #answers = new Set<ServerResponse>();
  /** Bytes of the registry that its answers hold on to. */
  #held = 0;
  /** What was read up to here is dealt with. */
  #doneBytes: number;
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

  began(answer: ServerResponse): void {
    this.#answers.add(answer);
  }

  ended(answer: ServerResponse): void {
    this.#answers.delete(answer);
    if (this.#answers.size > 0) return;
    this.#doneBytes = this.socket.bytesRead;
    this.#held = 0;
  }

  /** Notes memory that an answer keeps as long as it lasts; less than nothing: it does so no more. */
  hold(bytes: number): void {
    this.#held = Math.max(0, this.#held + bytes);
  }

  /** It speaks WebSocket from now on: whatever it has not finished of a message waits in memory. */
  speaksFrames(frames: WebSocket): void {
    this.#doneBytes = this.socket.bytesRead;
    const note = (data: { readonly length?: number }): void => this.#finishFrame(data.length ?? 0);
    frames.on('message', note);
    frames.on('ping', note);
    frames.on('pong', note);
  }

  /** Bytes that wait in memory because of it. */
  get waitingBytes(): number {
    const { socket } = this;
    let bytes = socket.writableLength + (socket.bytesRead - this.#doneBytes) + this.#held;
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

  #finishFrame(length: number): void {
    const head =
      length < 126 ? FRAME_HEAD_BYTES.short : length < 65_536 ? FRAME_HEAD_BYTES.medium : FRAME_HEAD_BYTES.long;
    // What follows it came with the same reading. The heads of the parts of one message are not known.
    this.#doneBytes = Math.max(this.#doneBytes + head + length, this.socket.bytesRead - READING_BYTES_MAX);
  }
}
