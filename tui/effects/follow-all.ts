import type { FeedState } from '../../shared/client/feed-client.ts';
import type { FeedClock } from '../../shared/client/feed-clock.ts';
import type { ClientRow, EventRow, FeedRows, FeedStats, SilencedRow } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { nameAt, partsAt, silencedIdAt } from '../model/backend-names.ts';
import { TOPICS, type Topic } from '../model/held-rows.ts';
import type { Opened } from '../state/ports.ts';
import {
  heardFrame,
  heardHello,
  heardStats,
  INITIAL_FEED_STATUS,
  nextConnection,
  type FeedStatus,
  type Hello,
} from '../model/feed-status.ts';
import { followFeed, type FeedSink, type FollowedBackend, type FollowedFeed } from './follow-feed.ts';
import { targetOf } from '../model/target.ts';

/** A backend of the merged list, or why it cannot be opened. */
export type Member = FollowedBackend | { readonly problem: string };

/** What hears of several backends. */
export interface MergedSink extends Opened {
  /** One of them is heard, or not any more. */
  backendChanged(context: string, status: FeedStatus): void;
  /** `isNews`: whether the rows tell of what happens now, outside of a snapshot. */
  rowsArrived(
    rows: FeedRows,
    about: { readonly replace: boolean; readonly timeMs: number | undefined; readonly isNews: boolean },
  ): void;
  /** Events of the snapshot of one of them. */
  snapshotEventsArrived(events: readonly EventRow[], isNews: boolean): void;
}

/** Folds the feeds of several backends into one store, each with a feed of its own. */
export function followAll(
  members: ReadonlyMap<string, Member>,
  store: MergedSink,
  clock: FeedClock,
  chance = Math.random,
): FollowedFeed {
  const feeds = Array.from(members, ([name, member]) => {
    const sink = new MemberSink(name, store);
    if (!('problem' in member)) return [followFeed(member, sink, clock, chance)];
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

type Keys = Readonly<Record<Topic, Set<string>>>;

/** What one backend says, with its name at everything. */
class MemberSink implements FeedSink {
  readonly #context: string;
  readonly #store: MergedSink;
  #status: FeedStatus = INITIAL_FEED_STATUS;
  /** Keys, as the store has them, of all rows of this backend. */
  readonly #known: Keys = noKeys();
  /** Keys of these that the snapshot that is arriving has mentioned; what it does not mention is gone at its end. */
  #mentioned: Keys | undefined;

  constructor(context: string, store: MergedSink) {
    this.#context = context;
    this.#store = store;
  }

  connectionChanged(connection: FeedState): void {
    if (connection.kind === 'live') this.#endSnapshot();
    this.#heard(nextConnection(this.#status, connection, this.#nowMs));
  }

  greeted(hello: Hello): void {
    this.#heard(heardHello(this.#status, hello, this.#nowMs));
  }

  statsArrived(stats: FeedStats, timeMs: number): void {
    this.#heard(heardStats(this.#status, stats, timeMs, this.#nowMs));
  }

  rowsArrived(rows: FeedRows, about: { readonly replace: boolean; readonly timeMs: number | undefined }): void {
    if (about.replace) this.#mentioned = noKeys();
    this.#pass(placedRows(rows, (key) => [this.#context, key]));
    this.#heard(heardFrame(this.#status, about.timeMs, this.#nowMs));
  }

  snapshotEventsArrived(events: readonly EventRow[]): void {
    const placed = events.map((row) => eventAt(row, this.#context));
    for (const { client, check } of placed) this.#note('events', eventKey(client, check));
    this.#store.snapshotEventsArrived(placed, this.#status.everLive);
  }

  get #nowMs(): number {
    return this.#store.options.now();
  }

  #heard(status: FeedStatus): void {
    this.#status = status;
    this.#store.backendChanged(this.#context, status);
  }

  #pass(rows: FeedRows): void {
    for (const topic of TOPICS) {
      for (const [key, row] of Object.entries(rows[topic] ?? {})) {
        if (row === null) this.#known[topic].delete(key);
        else this.#note(topic, key);
      }
    }
    // What a backend begins with is no news, also where another one is live already.
    this.#store.rowsArrived(rows, { replace: false, timeMs: undefined, isNews: this.#status.everLive });
  }

  #note(topic: Topic, key: string): void {
    this.#known[topic].add(key);
    this.#mentioned?.[topic].add(key);
  }

  #endSnapshot(): void {
    const mentioned = this.#mentioned;
    if (mentioned === undefined) return;
    this.#mentioned = undefined;
    const gone = (topic: Topic): Readonly<Record<string, null>> =>
      Object.fromEntries([...this.#known[topic]].filter((key) => !mentioned[topic].has(key)).map((key) => [key, null]));
    this.#pass({ events: gone('events'), silenced: gone('silenced'), clients: gone('clients') });
  }
}

function noKeys(): Keys {
  return { events: new Set(), silenced: new Set(), clients: new Set() };
}

/**
 * Rows of several places as one list has them: with the place at every name. A topic that is not mentioned stays so.
 *
 * @param placeOf the place of a row, and its key there
 */
export function placedRows(
  { events, silenced, clients }: FeedRows,
  placeOf: (key: string) => readonly [place: string, key: string],
): FeedRows {
  return {
    ...(events && { events: mapped(events, placeOf, eventKeyAt, eventAt) }),
    ...(silenced && { silenced: mapped(silenced, placeOf, silencedIdAt, silencedAt) }),
    ...(clients && { clients: mapped(clients, placeOf, nameAt, clientAt) }),
  };
}

function mapped<Row>(
  rows: Readonly<Record<string, Row | null>>,
  placeOf: (key: string) => readonly [place: string, key: string],
  keyAt: (key: string, place: string) => string,
  rowAt: (row: Row, place: string) => Row,
): Readonly<Record<string, Row | null>> {
  const entries = Object.entries(rows).map(([placed, row]) => {
    const [place, key] = placeOf(placed);
    return [keyAt(key, place), row === null ? null : rowAt(row, place)] as const;
  });
  return Object.fromEntries(entries);
}

function clientAt(row: ClientRow, place: string): ClientRow {
  const subscriptions = row.subscriptions.map((subscription) => nameAt(subscription, place));
  return { ...row, name: nameAt(row.name, place), subscriptions };
}

function eventKeyAt(key: string, context: string): string {
  const { client, check } = targetOf(key);
  return eventKey(nameAt(client, context), check);
}

/** An event as a list of several places has it. */
export function eventAt(row: EventRow, place: string): EventRow {
  const silencedBy = row.silenced_by.map((id) => silencedIdAt(id, place));
  return { ...row, client: nameAt(row.client, place), silenced_by: silencedBy };
}

function silencedAt(row: SilencedRow, context: string): SilencedRow {
  return { ...partsAt(row, context), id: silencedIdAt(row.id, context) };
}
