import type { Definitions } from '../config/definitions.ts';
import { groupTopic } from '../notify/groups/feed-rows.ts';
import { inhibitionTopic } from '../notify/inhibitions/feed-rows.ts';
import { TOPICS } from '../tables/tables.ts';
import type { Topic } from '../tables/topic.ts';

/** Returns all topics of the feed: for stored objects, and for state derived from definitions. */
export function topicsOf(definitions: Pick<Definitions, 'in' | 'inhibitions' | 'generation'>): readonly Topic[] {
  return [...TOPICS, groupTopic(definitions), inhibitionTopic(definitions)];
}
