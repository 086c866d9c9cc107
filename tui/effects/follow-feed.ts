import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { Feed, FeedPace, FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { RowsAbout } from '../../shared/client/feed-session.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import type { EventRow, FeedRows, FeedStats } from '../../shared/schemas/feed.ts';
import type { Hello } from '../model/feed-status.ts';

/** Where a feed is, and with what one is let in. */
export interface FollowedBackend {
  readonly backend: string;
  /** Where credentials are that the URL does not hold. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  /** Default: those of the lists that are open all the time. */
  readonly topics?: readonly FeedTopic[];
}

/** What hears a feed. */
export interface FeedSink {
  connectionChanged(connection: FeedState): void;
  greeted(hello: Hello): void;
  statsArrived(stats: FeedStats, timeMs: number): void;
  rowsArrived(rows: FeedRows, about: Omit<RowsAbout, 'seq'>): void;
  /** More of the snapshot that a call of `rowsArrived` began. Absent: these come there, too. */
  snapshotEventsArrived?(events: readonly EventRow[]): void;
}

/** What a console does with a feed that it follows. */
export type FollowedFeed = Pick<Feed, 'reconnect' | 'resync' | 'setPace' | 'close'>;

/** Folds the feed of a backend into the store. Drawing is up to the frame scheduler. */
export function followFeed(
  { backend, env, namespace, topics = ['events', 'silenced', 'clients', 'upgrades'] }: FollowedBackend,
  store: FeedSink,
  clock: FeedClock,
  chance = Math.random,
): FollowedFeed {
  let feed: Feed | undefined;
  let isClosed = false;
  let pace: FeedPace = { ms: 0 };
  const open = async (): Promise<void> => {
    const { openFeed } = await import('../../shared/client/feed-client.ts');
    feed = openFeed(
      {
        backend,
        ...(env && { env }),
        ...(namespace !== undefined && { namespace }),
        topics,
        clock,
        chance,
      },
      {
        onState: (state) => store.connectionChanged(state),
        onHello: (hello) => store.greeted(hello),
        onRows: (rows, about) => store.rowsArrived(rows, about),
        ...(store.snapshotEventsArrived && {
          onSnapshotEvents: (events) => store.snapshotEventsArrived?.(events),
        }),
        onStats: (stats, timeMs) => store.statsArrived(stats, timeMs),
      },
    );
    feed.setPace(pace);
    if (isClosed) feed.close();
  };
  // Loading what speaks WebSocket and TLS takes a tenth of the time to the first frame: that is written first.
  setImmediate(() => void open());
  return {
    reconnect: () => feed?.reconnect(),
    resync: () => feed?.resync(),
    setPace: (wanted) => {
      pace = wanted;
      feed?.setPace(wanted);
    },
    close: () => {
      isClosed = true;
      feed?.close();
    },
  };
}
