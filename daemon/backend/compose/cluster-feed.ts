import type { Broadcast } from '../cluster/runs/broadcast.ts';
import type { FeedHub } from '../feed/feed-hub.ts';

/**
 * Publishes messages of transport handlers to the feed consumers of all members of the cluster. Until `connect` is
 * called, it publishes to the consumers of this backend only, because handlers are created before the connections to
 * other members.
 */
export class ClusterFeed {
  readonly #ownFeed: Pick<FeedHub, 'publish'>;
  #broadcast: Pick<Broadcast, 'publish'> | undefined;

  constructor(own: Pick<FeedHub, 'publish'>) {
    this.#ownFeed = own;
  }

  /** @param others publishes to the feed consumers of the other members */
  connect(others: Pick<Broadcast, 'publish'>): void {
    this.#broadcast = others;
  }

  publish(...message: Parameters<FeedHub['publish']>): void {
    this.#ownFeed.publish(...message);
    this.#broadcast?.publish(...message);
  }
}
