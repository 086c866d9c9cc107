/** State of the send and receive buffers for one peer (the other end of a connection). */
export interface PeerState {
  /** Buffered bytes: responses and frames that the peer has not read, and incomplete requests and frames from it. */
  readonly waitingBytes: number;
  /** Time since the peer last read data that is waiting for it; 0 if it keeps reading or no data is waiting. */
  readonly stalledMs: number;
}

export interface BufferLimits {
  /** Maximum bytes in the buffers of all peers together. */
  readonly all: number;
  readonly bytesPerPeer: number;
  /** Maximum time for which a peer reads none of the data that waits for it; then it is disconnected. */
  readonly stallMs: number;
}

/**
 * Reason why a connection is closed. `stalled`: its peer does not read; `connection_limit`: its buffers are too large;
 * `total_limit`: the buffers of all connections together are too large, and this one was chosen.
 */
export type DropReason = 'stalled' | 'connection_limit' | 'total_limit';

/**
 * Chooses the peers to disconnect. If the buffers of all peers exceed the total limit, the peers that have read nothing
 * for the longest time are chosen first, then those with the largest buffers.
 *
 * @param peers peers with waiting data
 */
export function peersToDrop<Peer extends PeerState>(
  peers: readonly Peer[],
  { all, bytesPerPeer: each, stallMs }: BufferLimits,
): ReadonlyMap<Peer, DropReason> {
  const dropped = new Map<Peer, DropReason>();
  let left = 0;
  for (const peer of peers) {
    if (peer.stalledMs > stallMs) dropped.set(peer, 'stalled');
    else if (peer.waitingBytes > each) dropped.set(peer, 'connection_limit');
    else left += peer.waitingBytes;
  }
  if (left <= all) return dropped;
  const worstFirst = peers.toSorted((a, b) => b.stalledMs - a.stalledMs || b.waitingBytes - a.waitingBytes);
  for (const peer of worstFirst) {
    if (left <= all) break;
    if (dropped.has(peer)) continue;
    dropped.set(peer, 'total_limit');
    left -= peer.waitingBytes;
  }
  return dropped;
}
