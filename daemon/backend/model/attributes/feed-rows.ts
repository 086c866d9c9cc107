import { attributeSetRow } from '../../../../shared/domain/attribute-set.ts';
import { namespacedTopic } from '../tables/feed-topic.ts';

/** The sets of attributes to which the rows of events refer. They are sent before the events. */
export const ATTRIBUTE_TOPIC = namespacedTopic({
  name: 'attributes',
  *all(namespace) {
    for (const shared of namespace.attributeSets.all()) yield [shared.set.id, shared];
  },
  changed(namespace, changes) {
    const ids = changes.flatMap((change) => (change[0] === 'attributes' ? change[2] : []));
    return new Map(ids.map((id) => [id, namespace?.attributeSets.get(id)]));
  },
  row: ({ set }) => attributeSetRow(set),
});
