import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { Feed } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { FeedRows, FeedStats } from '../../shared/schemas/feed.ts';
import type { ConsoleState } from '../state/console-state.ts';
import type { ConnectionState, Hello } from '../model/feed-status.ts';

/** Where a feed is, and with what one is let in. */
export interface FollowedBackend {
  readonly backend: string;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
}

/** What hears a feed. */
export interface FeedSink {
  connectionChanged(connection: ConnectionState): void;
  greeted(hello: Hello): void;
  statsArrived(stats: FeedStats, timeMs: number): void;
  rowsArrived(rows: FeedRows, about: { readonly replace: boolean; readonly timeMs: number | undefined }): void;
}

/** What a console does with a feed that it follows. */
export type FollowedFeed = Pick<Feed, 'reconnect' | 'resync' | 'setPace' | 'close'>;

/** While nothing that arrives is shown, it is enough to hear of it as often as the counters are drawn. */
const UNSEEN_PACE_MS = 1000;

/** How often changes are wanted, in milliseconds between two frames; 0: as often as there are any. */
export function wantedPaceMs({ focused, paused }: Pick<ConsoleState, 'focused' | 'paused'>): number {
  return focused && paused === undefined ? 0 : UNSEEN_PACE_MS;
}

/** Folds the feed of a backend into the store. Drawing is up to the frame scheduler. */
export function followFeed(
  { backend, env, namespace }: FollowedBackend,
  store: FeedSink,
  clock: FeedClock,
  chance = Math.random,
): FollowedFeed {
  let feed: Feed | undefined;
  let isClosed = false;
  let paceMs = 0;
  const open = async (): Promise<void> => {
    const { openFeed } = await import('../../shared/client/feed-client.ts');
    feed = openFeed(
      {
        backend,
        ...(env && { env }),
        ...(namespace !== undefined && { namespace }),
        topics: ['events', 'silenced', 'clients', 'upgrades'],
        clock,
        chance,
      },
      {
        onState: (state) => store.connectionChanged(state),
        onHello: (hello) => store.greeted(hello),
        onRows: (rows, about) => store.rowsArrived(rows, about),
        onStats: (stats, timeMs) => store.statsArrived(stats, timeMs),
      },
    );
    feed.setPace(paceMs);
    if (isClosed) feed.close();
  };
  // Loading what speaks WebSocket and TLS takes a tenth of the time to the first frame: that is written first.
  setImmediate(() => void open());
  return {
    reconnect: () => feed?.reconnect(),
    resync: () => feed?.resync(),
    setPace: (ms) => {
      paceMs = ms;
      feed?.setPace(ms);
    },
    close: () => {
      isClosed = true;
      feed?.close();
    },
  };
}
