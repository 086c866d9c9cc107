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
 * The reason to disconnect a peer: it does not read, its buffers are too large, or all buffers are and it comes first.
 */
export type CutReason = 'stalled' | 'each' | 'all';

/**
 * Chooses the peers to disconnect. If the buffers of all peers are too large, those stalled longest go first, then
 * those with the largest buffers.
 *
 * @param peers those with waiting data
 */
export function peersToCut<Peer extends PeerState>(
  peers: readonly Peer[],
  { all, each, stallMs }: BufferLimits,
): ReadonlyMap<Peer, CutReason> {
  const cut = new Map<Peer, CutReason>();
  let left = 0;
  for (const peer of peers) {
    if (peer.stalledMs > stallMs) cut.set(peer, 'stalled');
    else if (peer.waitingBytes > each) cut.set(peer, 'each');
    else left += peer.waitingBytes;
  }
  if (left <= all) return cut;
  const worstFirst = peers.toSorted((a, b) => b.stalledMs - a.stalledMs || b.waitingBytes - a.waitingBytes);
  for (const peer of worstFirst) {
    if (left <= all) break;
    if (cut.has(peer)) continue;
    cut.set(peer, 'all');
    left -= peer.waitingBytes;
  }
  return cut;
}
