import {
  openFeed,
  type Feed,
  type FeedListener,
  type FeedPace,
  type FeedState,
} from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import { FeedReplica } from '../../shared/client/feed-replica.ts';
import type { RowsMetadata } from '../../shared/client/feed-session.ts';
import { eventRow } from '../../shared/domain/event-row.ts';
import { matchesSearch, parseSearch } from '../../shared/domain/search.ts';
import type { Client } from '../../shared/schemas/client.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { EventRow, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { SilencedView } from '../../shared/schemas/silenced.ts';
import type { Lists } from './writer.ts';

/** Factor by which this clock is faster: pauses and heartbeats of seconds take milliseconds. */
const HASTE = 50;
const hasty: FeedClock = {
  now: () => Date.now() * HASTE,
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs / HASTE);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

type State = Readonly<Record<'events' | 'silenced' | 'clients', Readonly<Record<string, unknown>>>>;

/** A feed that keeps its rows like a console does, for comparison with the lists of the backend. */
export class Consumer implements FeedListener, Disposable {
  /** Number of snapshots; `connectionCount` is the number of times the feed went live. */
  snapshots = 0;
  connectionCount = 0;
  state: FeedState['kind'] = 'connecting';
  readonly #feed: Feed;
  readonly #filter: string | undefined;
  readonly #replica = new FeedReplica();
  /** The callback for snapshots in columns; set on half of the consumers. */
  readonly onSnapshotEvents?: (events: readonly EventRow[]) => void;

  constructor(backend: string, filter: string | undefined, random: () => number) {
    this.#filter = filter;
    if (random() < 0.5)
      this.onSnapshotEvents = (events) => this.#replica.apply({ events: byKey(events) }, { replace: false });
    this.#feed = openFeed(
      {
        backend,
        topics: ['events', 'silenced', 'clients'],
        ...(filter === undefined ? {} : { filter }),
        clock: hasty,
        random: random,
      },
      this,
    );
  }

  setPace(pace: FeedPace): void {
    this.#feed.setPace(pace);
  }

  onState({ kind }: FeedState): void {
    this.state = kind;
    if (kind === 'live') this.connectionCount++;
  }

  onRows(rows: FeedRows, about: RowsMetadata): void {
    if (about.replace) this.snapshots++;
    this.#replica.apply(rows, about);
  }

  onStats(): void {
    // The statistics are not part of the replicated rows.
  }

  [Symbol.dispose](): void {
    this.#feed.close();
  }

  /** Returns the rows that the feed has delivered. */
  get deliveredRows(): State {
    return {
      events: Object.fromEntries(this.#replica.events),
      silenced: Object.fromEntries(this.#replica.silenced),
      clients: Object.fromEntries(this.#replica.clients),
    };
  }

  /** Returns the rows that the feed must have delivered, derived from the lists of the backend. */
  expected({ events, silenced, clients }: Lists): State {
    const search = parseSearch(this.#filter ?? '');
    if (search.kind === 'problem') throw new Error(search.message);
    const rows = (events as unknown as readonly Event[])
      .map(eventRow)
      .filter((row) => matchesSearch(search, row, Math.floor(Date.now() / 1000)));
    return {
      events: withoutAttributes(byKey(rows)),
      silenced: Object.fromEntries(
        (silenced as unknown as readonly SilencedView[]).map((view) => [view.id, silencedRow(view)]),
      ),
      clients: Object.fromEntries(
        (clients as unknown as readonly Client[]).map(
          ({ name, address, subscriptions, timestamp, version, keepalives }) => [
            name,
            { name, address, subscriptions, timestamp, version, ...(keepalives === false && { keepalives }) },
          ],
        ),
      ),
    };
  }
}

/** Returns rows without the attributes of their client and check, which this consumer of the feed does not request. */
function withoutAttributes(rows: Readonly<Record<string, EventRow>>): State['events'] {
  return Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, Object.fromEntries(Object.entries(row))]));
}

function byKey(events: readonly EventRow[]): Readonly<Record<string, EventRow>> {
  return Object.fromEntries(events.map((row) => [eventKey(row.client, row.check), row]));
}

/** Converts silences that never expire; the writers create no others. */
function silencedRow({ expire, ...rest }: SilencedView): SilencedRow {
  if (expire !== -1) throw new Error(`${rest.id} has an end`);
  return { ...rest, expire_at: null };
}
