/** Memory that buffers for one peer use. */
export interface PeerState {
  /** Bytes of responses and frames that it has not read, and of requests and frames that are incomplete. */
  readonly waitingBytes: number;
  /** Time since the peer last read waiting data; 0 if it reads or no data is waiting. */
  readonly stalledMs: number;
}

export interface BufferLimits {
  /** Maximum bytes of all peers together. */
  readonly all: number;
  readonly each: number;
  /** Maximum time in which a peer reads nothing. */
  readonly stallMs: number;
}

/**
 * Why a connection is dropped: its peer does not read, the limit of one connection is exceeded, or the total is
 * exceeded and this connection was chosen.
 */
export type DropReason = 'stalled' | 'connection_limit' | 'total_limit';

/**
 * Chooses the peers to disconnect. If the buffers of all peers are too large, those stalled longest go first, then
 * those with the largest buffers.
 *
 * @param peers those with waiting data
 */
export function peersToDrop<Peer extends PeerState>(
  peers: readonly Peer[],
  { all, each, stallMs }: BufferLimits,
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
