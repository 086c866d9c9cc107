import { openFeed, type Feed } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { ConsoleStore } from '../store/console-store.ts';

/** Folds the feed of a backend into the store. Drawing is up to the frame scheduler. */
export function followFeed(backend: string, store: ConsoleStore, clock: FeedClock, chance = Math.random): Feed {
  return openFeed(
    { backend, topics: ['events', 'silenced', 'clients'], clock, chance },
    {
      onState: (state) => store.connectionChanged(state),
      onHello: (hello) => store.greeted(hello),
      onRows: (rows, about) => store.rowsArrived(rows, about),
      onStats: (stats, timeMs) => store.statsArrived(stats, timeMs),
    },
  );
}
