import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { vi } from 'vitest';

/** A peer that reads everything and never closes the connection by itself. */
export class HeldSocket {
  readonly socket: Socket;
  /** Everything that the other side sent. */
  said = '';
  /** True if the other side has closed the connection. */
  isLeft = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data) => (this.said += data.toString('latin1')));
    socket.on('error', () => undefined);
    for (const end of ['end', 'close']) socket.on(end, () => (this.isLeft = true));
  }

  /**
   * Connects.
   *
   * @param bytes sent at once; default: none
   */
  static async open(url: string, bytes = ''): Promise<HeldSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const held = new HeldSocket(socket);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return held;
  }

  /** Waits until the other side has sent this. */
  async hears(text: string): Promise<void> {
    await vi.waitFor(() => {
      if (!this.said.includes(text)) throw new Error(`no ${text} in ${this.said}`);
    });
  }

  drop(): void {
    this.socket.destroy();
  }
}
