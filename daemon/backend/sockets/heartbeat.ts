import type { WebSocket } from 'ws';

/** Detects a peer that no longer answers. */
export class Heartbeat {
  readonly #socket: WebSocket;
  #isAlive = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  /** Cuts off a peer that did not answer the last ping, and pings again. */
  beat(): void {
    // A paused socket receives no pong either.
    if (!this.#isAlive && !this.#socket.isPaused) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }
}
