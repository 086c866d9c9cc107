import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { ClientRow, EventRow, FeedRows, FeedStats, SilencedRow } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { addContextToName, addContextToParts, addContextToSilenceId } from '../model/backend-names.ts';
import { BUFFERED_TOPICS, type BufferedTopic } from '../model/buffered-rows.ts';
import type { ScreenView } from '../state/ports.ts';
import {
  updateFromFrame,
  updateFromHello,
  updateFromStats,
  INITIAL_FEED_STATUS,
  updateConnection,
  type FeedStatus,
  type Hello,
} from '../model/feed-status.ts';
import { followFeed, type FeedSink, type FollowedBackend, type FollowedFeed } from './follow-feed.ts';
import { targetOf } from '../model/target.ts';

/** A backend of the merged list, or the reason why it cannot be opened. */
export type MergedBackend = FollowedBackend | { readonly problem: string };

/** The store of a merged list, which receives the feeds of several backends. */
export interface MergedSink extends ScreenView {
  /** Receives the new feed status of one backend. */
  backendChanged(context: string, status: FeedStatus): void;
  /** Receives rows. `isNews` is false for the first rows of a backend, because their changes happened earlier. */
  rowsArrived(
    rows: FeedRows,
    details: { readonly replace: boolean; readonly timeMs: number | undefined; readonly isNews: boolean },
  ): void;
  /** Receives further events of the snapshot of one backend. */
  snapshotEventsArrived(events: readonly EventRow[], isNews: boolean): void;
}

/** Connects the feeds of several backends to one store, each over its own connection. */
export function followAll(
  members: ReadonlyMap<string, MergedBackend>,
  store: MergedSink,
  clock: FeedClock,
  random = Math.random,
): FollowedFeed {
  const feeds = Array.from(members, ([name, member]) => {
    const sink = new MemberSink(name, store);
    if (!('problem' in member)) return [followFeed(member, sink, clock, random)];
    sink.connectionChanged({ kind: 'refused', code: 'invalid', message: member.problem });
    return [];
  }).flat();
  const each = (act: (feed: FollowedFeed) => void) => (): void => feeds.forEach(act);
  return {
    reconnect: each((feed) => feed.reconnect()),
    resync: each((feed) => feed.resync()),
    setPace: ({ ms }) => feeds.forEach((feed) => feed.setPace({ ms })),
    close: each((feed) => feed.close()),
  };
}

type TopicKeys = Readonly<Record<BufferedTopic, Set<string>>>;

/** Receives the feed of one backend, adds the name of the backend to all names in it, and passes it on to the store. */
class MemberSink implements FeedSink {
  readonly #context: string;
  readonly #store: MergedSink;
  #status: FeedStatus = INITIAL_FEED_STATUS;
  /** The keys of all rows of this backend, as they are in the store. */
  readonly #keys: TopicKeys = emptyTopicKeys();
  /**
   * The keys of the rows that the current snapshot has contained so far. At its end, rows with other keys are removed.
   * `undefined` if no snapshot is arriving.
   */
  #snapshotKeys: TopicKeys | undefined;

  constructor(context: string, store: MergedSink) {
    this.#context = context;
    this.#store = store;
  }

  connectionChanged(connection: FeedState): void {
    if (connection.kind === 'live') this.#endSnapshot();
    this.#updateStatus(updateConnection(this.#status, connection, this.#nowMs));
  }

  greeted(hello: Hello): void {
    this.#updateStatus(updateFromHello(this.#status, hello, this.#nowMs));
  }

  statsArrived(stats: FeedStats, timeMs: number): void {
    this.#updateStatus(updateFromStats(this.#status, stats, timeMs, this.#nowMs));
  }

  rowsArrived(rows: FeedRows, details: { readonly replace: boolean; readonly timeMs: number | undefined }): void {
    if (details.replace) this.#snapshotKeys = emptyTopicKeys();
    this.#passRows(placedRows(rows, (key) => [this.#context, key]));
    this.#updateStatus(updateFromFrame(this.#status, details.timeMs, this.#nowMs));
  }

  snapshotEventsArrived(events: readonly EventRow[]): void {
    const placed = events.map((row) => addSourceToEvent(row, this.#context));
    for (const { client, check } of placed) this.#addKey('events', eventKey(client, check));
    this.#store.snapshotEventsArrived(placed, this.#status.hasBeenLive);
  }

  get #nowMs(): number {
    return this.#store.options.now();
  }

  #updateStatus(status: FeedStatus): void {
    this.#status = status;
    this.#store.backendChanged(this.#context, status);
  }

  #passRows(rows: FeedRows): void {
    for (const topic of BUFFERED_TOPICS) {
      for (const [key, row] of Object.entries(rows[topic] ?? {})) {
        if (row === null) this.#keys[topic].delete(key);
        else this.#addKey(topic, key);
      }
    }
    // The first rows of a backend are not reported as current changes, even if another backend is already live.
    this.#store.rowsArrived(rows, { replace: false, timeMs: undefined, isNews: this.#status.hasBeenLive });
  }

  #addKey(topic: BufferedTopic, key: string): void {
    this.#keys[topic].add(key);
    this.#snapshotKeys?.[topic].add(key);
  }

  #endSnapshot(): void {
    const mentioned = this.#snapshotKeys;
    if (mentioned === undefined) return;
    this.#snapshotKeys = undefined;
    const gone = (topic: BufferedTopic): Readonly<Record<string, null>> =>
      Object.fromEntries([...this.#keys[topic]].filter((key) => !mentioned[topic].has(key)).map((key) => [key, null]));
    this.#passRows({ events: gone('events'), silenced: gone('silenced'), clients: gone('clients') });
  }
}

function emptyTopicKeys(): TopicKeys {
  return { events: new Set(), silenced: new Set(), clients: new Set() };
}

/**
 * Returns rows with the backend or namespace added to every name. If a topic is missing in `rows`, it is missing in the
 * result too.
 *
 * @param splitKey callback that splits the key of a row into its backend or namespace and the key that the row has
 *   there
 */
export function placedRows(
  { events, silenced, clients }: FeedRows,
  splitKey: (key: string) => readonly [source: string, key: string],
): FeedRows {
  return {
    ...(events && { events: mapRows(events, splitKey, addContextToEventKey, addSourceToEvent) }),
    ...(silenced && { silenced: mapRows(silenced, splitKey, addContextToSilenceId, addContextToSilence) }),
    ...(clients && { clients: mapRows(clients, splitKey, addContextToName, addSourceToClient) }),
  };
}

function mapRows<Row>(
  rows: Readonly<Record<string, Row | null>>,
  splitKey: (key: string) => readonly [source: string, key: string],
  keyAt: (key: string, source: string) => string,
  rowAt: (row: Row, source: string) => Row,
): Readonly<Record<string, Row | null>> {
  const entries = Object.entries(rows).map(([placed, row]) => {
    const [source, key] = splitKey(placed);
    return [keyAt(key, source), row === null ? null : rowAt(row, source)] as const;
  });
  return Object.fromEntries(entries);
}

function addSourceToClient(row: ClientRow, source: string): ClientRow {
  const subscriptions = row.subscriptions.map((subscription) => addContextToName(subscription, source));
  return { ...row, name: addContextToName(row.name, source), subscriptions };
}

function addContextToEventKey(key: string, context: string): string {
  const { client, check } = targetOf(key);
  return eventKey(addContextToName(client, context), check);
}

/** Returns an event with the backend or namespace added to its client and the ids of its silences. */
export function addSourceToEvent(row: EventRow, source: string): EventRow {
  const silencedBy = row.silenced_by.map((id) => addContextToSilenceId(id, source));
  return { ...row, client: addContextToName(row.client, source), silenced_by: silencedBy };
}

function addContextToSilence(row: SilencedRow, context: string): SilencedRow {
  return { ...addContextToParts(row, context), id: addContextToSilenceId(row.id, context) };
}
