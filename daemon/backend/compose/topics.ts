import type { Definitions } from '../model/config/definitions.ts';
import { groupTopic } from '../notify/groups/feed-rows.ts';
import { inhibitionTopic } from '../notify/inhibitions/feed-rows.ts';
import { ATTRIBUTE_TOPIC } from '../model/attributes/feed-rows.ts';
import { TOPICS } from '../model/tables/tables.ts';
import type { Topic } from '../model/tables/feed-topic.ts';

/** Returns all topics of the feed: sets of attributes, stored objects, notification groups and inhibitions. */
export function topicsOf(
  definitions: Pick<Definitions, 'inNamespace' | 'inhibitions' | 'generation'>,
): readonly Topic[] {
  return [ATTRIBUTE_TOPIC, ...TOPICS, groupTopic(definitions), inhibitionTopic(definitions)];
}
