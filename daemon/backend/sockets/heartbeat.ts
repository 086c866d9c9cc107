import type { WebSocket } from 'ws';

/** Sends WebSocket pings, and closes the connection if the peer no longer answers them. */
export class Heartbeat {
  readonly #socket: WebSocket;
  #isAlive = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  /** Closes the connection if the peer did not answer the last ping; otherwise sends the next ping. */
  beat(): void {
    // A paused socket reads no pongs, so a missing pong proves nothing.
    if (!this.#isAlive && !this.#socket.isPaused) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }
}
