import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { Change } from '../ports.ts';
import type { FeedRowState, Topic } from '../model/tables/feed-topic.ts';

/** A row of a feed topic with its key; the row is null if its object was deleted. */
export type TopicRow = readonly [topic: FeedTopic, key: string, row: object | null];

/**
 * Yields all rows of the topics. The registry may change during the iteration: a consumer gets these changes after the
 * snapshot.
 */
export function* snapshotRows(
  state: FeedRowState,
  topics: readonly Topic[],
  now: () => number,
): Generator<TopicRow, void, undefined> {
  for (const { name, rows } of topics) for (const [key, row] of rows(state, now)) yield [name, key, row];
}

/** Yields the newest row of each changed object. An object that changed several times is yielded once. */
export function* changedRows(
  state: FeedRowState,
  topics: readonly Topic[],
  changes: Iterable<Change>,
  nowMs: number,
): Generator<TopicRow, void, undefined> {
  const byNamespace = Map.groupBy(changes, ([, namespace]) => namespace);
  // The changed keys of all topics are determined before the first row is yielded, because the state may change before
  // the last row is read.
  const changed = topics.map((topic) => [topic.name, topic.changed(state, byNamespace, nowMs)] as const);
  for (const [name, rows] of changed) for (const [key, row] of rows) yield [name, key, row];
}
