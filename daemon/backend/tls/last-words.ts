import type { Duplex } from 'node:stream';

/** Time in milliseconds that a rejected peer has to read the response and close the connection. */
const PATIENCE_MS = 1000;

/**
 * Sends a last response and closes the connection. If the peer does not close its side in time, the socket is
 * destroyed. A socket that was only ended would stay open as long as the peer keeps its side open.
 */
export function sendAndClose(socket: Duplex, text: string): void {
  const impatience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(impatience));
  socket.on('error', () => socket.destroy());
  // `end` is emitted only after all data from the peer was read, so the socket is resumed.
  socket.once('end', () => socket.destroy());
  socket.resume();
  socket.end(text);
}
