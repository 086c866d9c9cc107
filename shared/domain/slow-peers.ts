/** The data that is buffered in memory for one peer. */
export interface PeerState {
  /** Bytes of responses and frames that it has not read, and of its incomplete requests and frames. */
  readonly waitingBytes: number;
  /** Milliseconds since it last read buffered data; 0: it reads, or nothing is buffered. */
  readonly stalledMs: number;
}

export interface BufferLimits {
  /** Bytes of all peers together. */
  readonly all: number;
  readonly each: number;
  /** Milliseconds for which a peer may read nothing. */
  readonly stallMs: number;
}

/**
 * Why a connection is dropped: its peer does not read, the limit of one connection is exceeded, or the total is
 * exceeded and this connection was chosen.
 */
export type DropReason = 'stalled' | 'connection_limit' | 'total_limit';

/**
 * Selects the connections to drop. If the total is exceeded, those that have read nothing for the longest time go
 * first, then those with the most data.
 *
 * @param peers those with buffered data
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
