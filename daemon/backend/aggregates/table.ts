import type { Key } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const PREFIX = 'aggregate-deletion';

const keyOf = ({ name }: Namespace, aggregate: string): Key => [PREFIX, name, aggregate];

/**
 * How many deletions of aggregates there had been with that of each one (see `state.ts`). Before the check records: it
 * says which of the results that name an aggregate belong to it.
 */
export const AGGREGATE_DELETIONS: StoredTable & LatestTable<Namespace, string> = {
  prefix: PREFIX,
  key: keyOf,
  encodeHeld({ aggregates }, aggregate) {
    const count = aggregates.deletion(aggregate);
    return count === undefined ? undefined : JSON.stringify(count);
  },
  load: (namespace, [, , aggregate], text) => namespace.loadDeletion(String(aggregate), JSON.parse(text) as number),
  unload: ({ aggregates }, [, , aggregate]) => aggregates.unloadDeletion(String(aggregate)),
  clear: (namespace) => namespace.aggregates.clearDeletions().map((aggregate) => keyOf(namespace, aggregate)),
};
