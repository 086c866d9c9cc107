/** State of the buffers for one peer, the other end of a connection. */
export interface PeerState {
  /** Bytes of responses and frames that the peer has not read, and of incomplete requests and frames from it. */
  readonly waitingBytes: number;
  /** Time since the peer last read waiting data; 0 if it keeps reading or no data is waiting. */
  readonly stalledMs: number;
}

export interface BufferLimits {
  /** Maximum bytes in the buffers of all peers together. */
  readonly all: number;
  readonly bytesPerPeer: number;
  /** Maximum time without reading, after which a peer with waiting data is disconnected. */
  readonly stallMs: number;
}

/**
 * Reason for closing a connection: its peer does not read, its buffers exceed the limit of one connection, or all
 * buffers exceed the total limit and this connection was chosen.
 */
export type DropReason = 'stalled' | 'connection_limit' | 'total_limit';

/**
 * Chooses the peers to disconnect. If the buffers of all peers exceed the total limit, the peers stalled longest are
 * chosen first, then those with the largest buffers.
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
