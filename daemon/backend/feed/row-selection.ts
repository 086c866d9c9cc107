import { MonError } from '../../../shared/errors.ts';
import { matchesSearch, parseSearch, usesTime, type Search } from '../../../shared/domain/search.ts';
import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { ClientRow, EventRow, FeedRows, SilencedRow, UpgradeRow } from '../../../shared/schemas/feed.ts';

/** A row of one topic under its key; `null`: gone. */
export type ChangedRow =
  | readonly ['events', key: string, row: EventRow | null]
  | readonly ['silenced', key: string, row: SilencedRow | null]
  | readonly ['clients', key: string, row: ClientRow | null]
  | readonly ['upgrades', key: string, row: UpgradeRow | null];

/** Which rows a consumer asked for. */
export class RowSelection {
  /** In the order of the alphabet. */
  readonly topics: readonly FeedTopic[];
  readonly #search: Search | undefined;
  /** With a filter: the keys of the events that the consumer holds. */
  readonly #held = new Set<string>();

  /** @throws MonError `invalid` when the filter does not parse or depends on the time */
  constructor(topics: readonly FeedTopic[], filter: string | undefined) {
    this.topics = [...new Set(topics)].toSorted();
    this.#search = searchOf(filter);
  }

  get isFiltered(): boolean {
    return this.#search !== undefined;
  }

  /** The consumer starts over and holds nothing. */
  forget(): void {
    this.#held.clear();
  }

  /** The rows to send, and null for those that the consumer holds and that match no longer. */
  select(rows: Iterable<ChangedRow>, nowMs: number): FeedRows {
    const events = byKey<EventRow>();
    const silenced = byKey<SilencedRow>();
    const clients = byKey<ClientRow>();
    const upgrades = byKey<UpgradeRow>();
    for (const [topic, key, row] of rows) {
      if (topic === 'silenced') silenced[key] = row;
      else if (topic === 'clients') clients[key] = row;
      else if (topic === 'upgrades') upgrades[key] = row;
      else if (this.#wants(key, row, nowMs)) events[key] = row;
      else if (this.#held.delete(key)) events[key] = null;
    }
    return {
      ...(this.topics.includes('events') ? { events } : {}),
      ...(this.topics.includes('silenced') ? { silenced } : {}),
      ...(this.topics.includes('clients') ? { clients } : {}),
      ...(this.topics.includes('upgrades') ? { upgrades } : {}),
    };
  }

  #wants(key: string, row: EventRow | null, nowMs: number): boolean {
    if (this.#search === undefined) return true;
    if (row === null || !matchesSearch(this.#search, row, Math.floor(nowMs / 1000))) return false;
    this.#held.add(key);
    return true;
  }
}

/** Without a prototype: a client may be called `__proto__`. */
function byKey<T>(): Record<string, T | null> {
  return Object.create(null) as Record<string, T | null>;
}

function searchOf(filter: string | undefined): Search | undefined {
  if (filter === undefined || filter.trim() === '') return undefined;
  const search = parseSearch(filter);
  if (search.kind === 'problem') {
    throw new MonError('invalid', `filter: ${search.message} (at character ${String(search.position + 1)})`);
  }
  // Rows are looked at when they change; nobody would notice that an age was reached.
  if (usesTime(search)) throw new MonError('invalid', 'filter: age and last cannot be used on the feed');
  return search;
}
