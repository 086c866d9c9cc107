import type { WebSocket } from 'ws';

/** What may wait in memory for a peer that does not read, bytes; check requests are small and come again. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Sends a frame, or cuts off a peer that has not read for so long that its frames would fill the memory.
 *
 * @returns false when the connection is on its way out
 */
export function sendFrame(socket: WebSocket, frame: string): boolean {
  if (socket.readyState !== socket.OPEN) return false;
  if (socket.bufferedAmount > BUFFERED_BYTES_MAX) {
    socket.terminate();
    return false;
  }
  socket.send(frame);
  return true;
}
