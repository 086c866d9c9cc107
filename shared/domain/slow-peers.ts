/** What waits in memory for one peer. */
export interface PeerState {
  /** Of answers and frames that it has not taken, and of requests and frames that it has not finished. */
  readonly waitingBytes: number;
  /** Since when it has taken nothing of what there is for it; 0: it takes, or there is nothing. */
  readonly stalledMs: number;
}

export interface BufferLimits {
  /** Bytes of all peers together. */
  readonly all: number;
  readonly each: number;
  /** How long a peer may take nothing. */
  readonly stallMs: number;
}

/** Why a peer is cut: it does not read, too much waits for it, or too much for all and it is the one to go. */
export type CutReason = 'stalled' | 'each' | 'all';

/**
 * Who has to go. When too much waits in all, who has taken nothing for the longest goes first, then who has the most.
 *
 * @param peers those for whom something waits
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
