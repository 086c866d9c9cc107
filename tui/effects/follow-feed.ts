import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { Feed, FeedPace, FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { RowsMetadata } from '../../shared/client/feed-session.ts';
import type { FeedTopic } from '../../shared/schemas/feed-request.ts';
import type { EventRow, FeedRows, FeedStats } from '../../shared/schemas/feed.ts';
import type { Hello } from '../model/feed-status.ts';

/** The backend whose feed is followed: its address, the credentials, and what the feed contains. */
export interface FollowedBackend {
  readonly backend: string;
  /** Source of the credentials that the URL does not contain. Default: the environment of the process. */
  readonly env?: CredentialsEnv;
  /** The namespace of the feed; `*` for all namespaces. Default: `default`. */
  readonly namespace?: string | undefined;
  /** The topics of the feed. Default: the topics of the lists that are always followed. */
  readonly topics?: readonly FeedTopic[];
}

/** Receives the messages of a feed. */
export interface FeedSink {
  connectionChanged(connection: FeedState): void;
  greeted(hello: Hello): void;
  statsArrived(stats: FeedStats, timeMs: number): void;
  rowsArrived(rows: FeedRows, details: Omit<RowsMetadata, 'seq'>): void;
  /**
   * Receives further events of a snapshot that `rowsArrived` started. If this method is absent, `rowsArrived` receives
   * these events too.
   */
  snapshotEventsArrived?(events: readonly EventRow[]): void;
}

/** The operations on a feed that the console uses. */
export type FollowedFeed = Pick<Feed, 'reconnect' | 'resync' | 'setPace' | 'close'>;

/** Opens the feed of a backend and passes its messages to the store. The frame scheduler decides when to draw. */
export function followFeed(
  { backend, env, namespace, topics = ['events', 'silenced', 'clients', 'upgrades'] }: FollowedBackend,
  store: FeedSink,
  clock: FeedClock,
  random = Math.random,
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
        attributes: topics.includes('events'),
        clock,
        random,
      },
      {
        onState: (state) => store.connectionChanged(state),
        onHello: (hello) => store.greeted(hello),
        onRows: (rows, details) => store.rowsArrived(rows, details),
        ...(store.snapshotEventsArrived && {
          onSnapshotEvents: (events) => store.snapshotEventsArrived?.(events),
        }),
        onStats: (stats, timeMs) => store.statsArrived(stats, timeMs),
      },
    );
    feed.setPace(pace);
    if (isClosed) feed.close();
  };
  // Loading the WebSocket and TLS code takes a tenth of the time to the first frame, so it is loaded after that frame.
  setImmediate(() => void open());
  return {
    reconnect: () => feed?.reconnect(),
    resync: () => feed?.resync(),
    setPace: (newPace) => {
      pace = newPace;
      feed?.setPace(newPace);
    },
    close: () => {
      isClosed = true;
      feed?.close();
    },
  };
}
