import type { Duplex } from 'node:stream';

/** How long a peer that is sent away may take to read why and to hang up. */
const PATIENCE_MS = 1000;

/**
 * Ends a connection with a last answer. Whatever the peer does then, the socket is gone soon: one that is only ended lasts
 * as long as the other side likes.
 */
export function sayLast(socket: Duplex, text: string): void {
  const impatience = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once('close', () => clearTimeout(impatience));
  socket.on('error', () => socket.destroy());
  // Its goodbye stands behind what it has said meanwhile.
  socket.once('end', () => socket.destroy());
  socket.resume();
  socket.end(text);
}
