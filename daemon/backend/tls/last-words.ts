import type { Duplex } from 'node:stream';

/** Time for a rejected peer to read the reason and to close the connection. */
const PATIENCE_MS = 1000;

/**
 * Ends a connection with a last response. The socket is destroyed soon, whatever the peer does: a socket that is only
 * ended stays open as long as the peer likes.
 */
export function sayLast(socket: Duplex, text: string): void {
  const impatience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(impatience));
  socket.on('error', () => socket.destroy());
  // The peer's end arrives after the data that it has sent meanwhile.
  socket.once('end', () => socket.destroy());
  socket.resume();
  socket.end(text);
}
