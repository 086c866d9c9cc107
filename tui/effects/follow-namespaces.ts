import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { addSourceToEvent, placedRows } from './follow-all.ts';
import { followFeed, type FeedSink, type FollowedBackend, type FollowedFeed } from './follow-feed.ts';

/** Receives the feed of several namespaces. */
export interface NamespacesSink extends FeedSink {
  /** Records that the feed has sent rows of this namespace. */
  noteNamespace(name: string): void;
  snapshotEventsArrived(events: readonly EventRow[]): void;
}

/**
 * Opens one feed for all readable namespaces of a backend, and passes its rows to the store with the namespace added to
 * every name.
 */
export function followNamespaces(
  backend: FollowedBackend,
  store: NamespacesSink,
  clock: FeedClock,
  random = Math.random,
): FollowedFeed {
  const splitKey = (key: string): readonly [source: string, key: string] => {
    const slash = key.indexOf('/');
    const namespace = key.slice(0, slash);
    store.noteNamespace(namespace);
    return [namespace, key.slice(slash + 1)];
  };
  const { setPace, ...feed } = followFeed(
    { ...backend, namespace: EVERY_NAMESPACE },
    {
      connectionChanged: (connection) => store.connectionChanged(connection),
      greeted: (hello) => store.greeted(hello),
      statsArrived: (stats, timeMs) => store.statsArrived(stats, timeMs),
      rowsArrived: ({ upgrades, ...rows }, details) =>
        store.rowsArrived({ ...placedRows(rows, splitKey), ...(upgrades && { upgrades }) }, details),
      snapshotEventsArrived: (events) =>
        store.snapshotEventsArrived(
          events.map((row) => {
            const { namespace = DEFAULT_NAMESPACE } = row;
            store.noteNamespace(namespace);
            return addSourceToEvent(row, namespace);
          }),
        ),
    },
    clock,
    random,
  );
  return { ...feed, setPace: ({ ms }) => setPace({ ms }) };
}
