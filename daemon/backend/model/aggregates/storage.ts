import type { Key } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const AGGREGATE_DELETION_PREFIX = 'aggregate-deletion';

const keyOf = ({ name }: Namespace, aggregate: string): Key => [AGGREGATE_DELETION_PREFIX, name, aggregate];

/**
 * The table of deleted aggregates. It stores the value of `deletionCount` at the last deletion of each (see
 * `state.ts`). It is loaded before the check records, because it decides whether a result belongs to an aggregate that
 * it names.
 */
export const AGGREGATE_DELETIONS: StoredTable & LatestTable<Namespace, string> = {
  prefix: AGGREGATE_DELETION_PREFIX,
  key: keyOf,
  encodeLatest({ aggregates }, aggregate) {
    const count = aggregates.deletion(aggregate);
    return count === undefined ? undefined : JSON.stringify(count);
  },
  load: (namespace, [, , aggregate], text) => namespace.loadDeletion(String(aggregate), JSON.parse(text) as number),
  unload: ({ aggregates }, [, , aggregate]) => aggregates.unloadDeletion(String(aggregate)),
  clear: (namespace) => namespace.aggregates.clearDeletions().map((aggregate) => keyOf(namespace, aggregate)),
};
