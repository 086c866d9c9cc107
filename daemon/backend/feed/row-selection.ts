import { CLIENT_SEARCH, SILENCED_SEARCH } from '../../../shared/domain/search-nouns.ts';
import { EVENT_SEARCH } from '../../../shared/domain/search.ts';
import type { FeedRequest, FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { ClientRow, EventRow, FeedRows, SilencedRow, UpgradeRow } from '../../../shared/schemas/feed.ts';
import type { FeedReach } from './feed-reach.ts';
import { TopicFilter } from './topic-filter.ts';

/** A row of one topic under its key; `null`: gone. */
export type ChangedRow =
  | readonly ['events', key: string, row: EventRow | null]
  | readonly ['silenced', key: string, row: SilencedRow | null]
  | readonly ['clients', key: string, row: ClientRow | null]
  | readonly ['upgrades', key: string, row: UpgradeRow | null];

type Wanted = Pick<Extract<FeedRequest, { type: 'subscribe' }>, 'topics' | 'filter' | 'filters'>;

/** Which rows a consumer asked for. */
export class RowSelection {
  /** In the order of the alphabet. */
  readonly topics: readonly FeedTopic[];
  /** Of which namespaces. */
  readonly reach: FeedReach;
  readonly #events: TopicFilter<EventRow>;
  readonly #silenced: TopicFilter<SilencedRow>;
  readonly #clients: TopicFilter<ClientRow>;

  /** @throws MonError `invalid` when a filter does not parse or depends on the time */
  constructor({ topics, filter, filters = {} }: Wanted, reach: FeedReach) {
    this.reach = reach;
    this.topics = [...new Set(topics)].toSorted();
    this.#events = new TopicFilter<EventRow>(EVENT_SEARCH, 'filter', filter);
    this.#silenced = new TopicFilter<SilencedRow>(SILENCED_SEARCH, 'filters.silenced', filters.silenced);
    this.#clients = new TopicFilter<ClientRow>(CLIENT_SEARCH, 'filters.clients', filters.clients);
  }

  get isFiltered(): boolean {
    return this.#events.isFiltered || this.#silenced.isFiltered || this.#clients.isFiltered;
  }

  /** The consumer starts over and holds nothing. */
  forget(): void {
    this.#events.forget();
    this.#silenced.forget();
    this.#clients.forget();
  }

  /** The rows to send, and null for those that the consumer holds and that match no longer. */
  select(rows: Iterable<ChangedRow>, nowMs: number): FeedRows {
    const events = byKey<EventRow>();
    const silenced = byKey<SilencedRow>();
    const clients = byKey<ClientRow>();
    const upgrades = byKey<UpgradeRow>();
    for (const [topic, key, row] of rows) {
      if (topic === 'silenced') put(silenced, key, this.#silenced.select(key, row, nowMs));
      else if (topic === 'clients') put(clients, key, this.#clients.select(key, row, nowMs));
      else if (topic === 'upgrades') upgrades[key] = row;
      else put(events, key, this.#events.select(key, row, nowMs));
    }
    return {
      ...(this.topics.includes('events') ? { events } : {}),
      ...(this.topics.includes('silenced') ? { silenced } : {}),
      ...(this.topics.includes('clients') ? { clients } : {}),
      ...(this.topics.includes('upgrades') ? { upgrades } : {}),
    };
  }
}

function put<Row>(rows: Record<string, Row | null>, key: string, row: Row | null | undefined): void {
  if (row !== undefined) rows[key] = row;
}

/** Without a prototype: a client may be called `__proto__`. */
function byKey<T>(): Record<string, T | null> {
  return Object.create(null) as Record<string, T | null>;
}
