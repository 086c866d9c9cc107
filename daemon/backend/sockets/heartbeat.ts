import type { WebSocket } from 'ws';

/** Finds out whether the other side is still there. */
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
    // A socket that is not read gives no pong either.
    if (!this.#isAlive && !this.#socket.isPaused) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }
}
