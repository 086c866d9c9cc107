import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { Feed } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { ConsoleStore } from '../store/console-store.ts';

/** Where a feed is, and with what one is let in. */
export interface FollowedBackend {
  readonly backend: string;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
}

/** What hears a feed. */
export type FeedSink = Pick<ConsoleStore, 'connectionChanged' | 'greeted' | 'statsArrived'> & {
  rowsArrived(rows: FeedRows, about: { readonly replace: boolean; readonly timeMs: number | undefined }): void;
};

/** Folds the feed of a backend into the store. Drawing is up to the frame scheduler. */
export function followFeed(
  { backend, env }: FollowedBackend,
  store: FeedSink,
  clock: FeedClock,
  chance = Math.random,
): Pick<Feed, 'reconnect' | 'resync' | 'close'> {
  let feed: Feed | undefined;
  let isClosed = false;
  const open = async (): Promise<void> => {
    const { openFeed } = await import('../../shared/client/feed-client.ts');
    feed = openFeed(
      { backend, ...(env && { env }), topics: ['events', 'silenced', 'clients', 'upgrades'], clock, chance },
      {
        onState: (state) => store.connectionChanged(state),
        onHello: (hello) => store.greeted(hello),
        onRows: (rows, about) => store.rowsArrived(rows, about),
        onStats: (stats, timeMs) => store.statsArrived(stats, timeMs),
      },
    );
    if (isClosed) feed.close();
  };
  // Loading what speaks WebSocket and TLS takes a tenth of the time to the first frame: that is written first.
  setImmediate(() => void open());
  return {
    reconnect: () => feed?.reconnect(),
    resync: () => feed?.resync(),
    close: () => {
      isClosed = true;
      feed?.close();
    },
  };
}
