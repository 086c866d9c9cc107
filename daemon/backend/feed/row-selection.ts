import type { SearchLanguage } from '../../../shared/domain/search-language.ts';
import { FEED_TOPICS, type FeedRequest, type FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { FeedRows } from '../../../shared/schemas/feed.ts';
import type { FeedReach } from './feed-reach.ts';
import type { TopicRow } from './topic-rows.ts';
import { TopicFilter } from './topic-filter.ts';
import { addSetIds } from '../model/attributes/feed-rows.ts';
import type { FeedRowState, Topic } from '../model/tables/feed-topic.ts';

type TopicSubscription = Pick<Extract<FeedRequest, { type: 'subscribe' }>, 'topics' | 'filter' | 'filters'>;

/** Selects the rows that a feed consumer gets, by its topics, namespaces and filters. */
export class RowSelection {
  /** The topics of the subscription, in the order in which their rows are sent. */
  readonly topics: readonly Topic[];
  /** The namespaces that the consumer reads. */
  readonly reach: FeedReach;
  readonly #filters: ReadonlyMap<FeedTopic, TopicFilter<object>>;

  /**
   * @param all all topics of the feed
   * @throws MonError `invalid` if a filter is not a valid search, or uses a field that depends on the time
   */
  constructor(all: readonly Topic[], subscription: TopicSubscription, reach: FeedReach) {
    this.reach = reach;
    this.topics = all.filter(({ name }) => subscription.topics.includes(name));
    this.#filters = new Map(
      all.flatMap(({ name, search }) => (search === undefined ? [] : [[name, filterOf(name, search, subscription)]])),
    );
  }

  get isFiltered(): boolean {
    return [...this.#filters.values()].some(({ isFiltered }) => isFiltered);
  }

  /** True if a consumer that reconnects needs only the changes after its last sequence number. */
  get canResume(): boolean {
    return !this.isFiltered && this.topics.every(({ revision }) => revision === undefined);
  }

  /** Returns a text that changes whenever the configuration from which the selected rows are derived changes. */
  revision(registry: FeedRowState['registry']): string {
    return this.topics.map(({ revision }) => revision?.(registry) ?? '').join('\n');
  }

  /** Clears the keys of sent rows in all filters, when the consumer starts over with a snapshot. */
  forget(): void {
    for (const filter of this.#filters.values()) filter.forget();
  }

  /** Returns the rows to send. A row is null if it was deleted, or if the consumer has it and it no longer matches. */
  select(rows: Iterable<TopicRow>, nowMs: number): FeedRows {
    const topicNames = FEED_TOPICS.filter((name) => this.topics.some((topic) => topic.name === name));
    const selected = Object.fromEntries(topicNames.map((name) => [name, emptyRowMap()]));
    for (const [name, key, row] of rows) {
      const filter = this.#filters.get(name);
      const shown = filter === undefined ? row : filter.select(key, row, nowMs);
      const own = selected[name];
      if (own === undefined || shown === undefined) continue;
      own[key] = name === 'events' && shown !== null && selected.attributes !== undefined ? addSetIds(shown) : shown;
    }
    return selected;
  }
}

/** Returns the filter of a topic. The filter of events is in the attribute `filter`, which existed before `filters`. */
function filterOf(
  topic: FeedTopic,
  language: SearchLanguage<never>,
  { filter, filters = {} }: TopicSubscription,
): TopicFilter<object> {
  const texts: Readonly<Record<string, string | undefined>> = filters;
  const [name, text] = topic === 'events' ? ['filter', filter] : [`filters.${topic}`, texts[topic]];
  return new TopicFilter(language as SearchLanguage<object>, name, text);
}

/** Returns an empty object for rows. It has no prototype, because a client may be named `__proto__`. */
function emptyRowMap(): Record<string, object | null> {
  return Object.create(null) as Record<string, object | null>;
}
