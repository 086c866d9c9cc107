import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { Change } from '../ports.ts';
import type { ShownState, Topic } from '../model/tables/feed-topic.ts';

/** A row of a topic under its key; `null`: deleted. */
export type TopicRow = readonly [topic: FeedTopic, key: string, row: object | null];

/**
 * Yields all rows of some topics. The state may change during the iteration: those differences are sent as changes
 * afterwards.
 */
export function* snapshotRows(
  state: ShownState,
  topics: readonly Topic[],
  now: () => number,
): Generator<TopicRow, void, undefined> {
  for (const { name, rows } of topics) for (const [key, row] of rows(state, now)) yield [name, key, row];
}

/** Yields the newest rows of the changed objects, each once, however often it changed. */
export function* changedRows(
  state: ShownState,
  topics: readonly Topic[],
  changes: Iterable<Change>,
  nowMs: number,
): Generator<TopicRow, void, undefined> {
  const byNamespace = Map.groupBy(changes, ([, namespace]) => namespace);
  // The changed keys are determined for all topics first, because the rows may be sent in parts with other changes in
  // between.
  const changed = topics.map((topic) => [topic.name, topic.changed(state, byNamespace, nowMs)] as const);
  for (const [name, rows] of changed) for (const [key, row] of rows) yield [name, key, row];
}
