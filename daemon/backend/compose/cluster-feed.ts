import type { Broadcast } from '../cluster/runs/broadcast.ts';
import type { FeedHub } from '../feed/feed-hub.ts';

/**
 * Publishes messages of transports to the consumers of all backends that share the store. Handlers need it before the
 * other backends are reachable, because these run handlers, too: until `connect`, it publishes on this backend alone.
 */
export class ClusterFeed {
  readonly #own: Pick<FeedHub, 'publish'>;
  #others: Pick<Broadcast, 'publish'> | undefined;

  constructor(own: Pick<FeedHub, 'publish'>) {
    this.#own = own;
  }

  /** @param others the feeds of the other backends */
  connect(others: Pick<Broadcast, 'publish'>): void {
    this.#others = others;
  }

  publish(...message: Parameters<FeedHub['publish']>): void {
    this.#own.publish(...message);
    this.#others?.publish(...message);
  }
}
