import { attributeSetRow, PackedAttributes } from '../../../../shared/domain/attribute-set.ts';
import {
  CHECK_ATTRIBUTES,
  CLIENT_ATTRIBUTES,
  type AttributeSetRow,
  type EventAttributes,
} from '../../../../shared/schemas/attribute-set.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
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

/** Adds to an event row the ids of the attributes of its client and its check. */
export function addSetIds<Row extends EventAttributes>(row: Row): Row & Pick<EventRow, 'client_set' | 'check_set'> {
  const { [CLIENT_ATTRIBUTES]: ofClient, [CHECK_ATTRIBUTES]: ofCheck } = row;
  return {
    ...row,
    ...(ofClient !== undefined && { client_set: ofClient.id }),
    ...(ofCheck !== undefined && { check_set: ofCheck.id }),
  };
}

/** Returns events with the ids of their attributes, and the sets of attributes to which they refer. */
export function eventsWithSets(rows: readonly EventRow[]): {
  readonly events: readonly EventRow[];
  readonly attributes: Readonly<Record<string, AttributeSetRow>>;
} {
  const sets = new Set(rows.flatMap((row) => [row[CLIENT_ATTRIBUTES], row[CHECK_ATTRIBUTES]]));
  const attributes = [...sets].flatMap((set) => (set instanceof PackedAttributes ? [attributeSetRow(set)] : []));
  return { events: rows.map(addSetIds), attributes: Object.fromEntries(attributes.map((row) => [row.id, row])) };
}
