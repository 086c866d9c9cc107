import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { vi } from 'vitest';

/** A client that reads everything from a connection, and never closes it by itself. */
export class HeldSocket {
  readonly socket: Socket;
  /** All bytes that the server has sent. */
  received = '';
  /** True if the server has closed the connection. */
  isClosedByServer = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data) => (this.received += data.toString('latin1')));
    socket.on('error', () => undefined);
    for (const end of ['end', 'close']) socket.on(end, () => (this.isClosedByServer = true));
  }

  /**
   * Opens a connection.
   *
   * @param bytes data that is sent immediately; default: none
   */
  static async open(url: string, bytes = ''): Promise<HeldSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const held = new HeldSocket(socket);
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return held;
  }

  /** Waits until the server has sent this text. */
  async waitForText(text: string): Promise<void> {
    await vi.waitFor(() => {
      if (!this.received.includes(text)) throw new Error(`no ${text} in ${this.received}`);
    });
  }

  drop(): void {
    this.socket.destroy();
  }
}
