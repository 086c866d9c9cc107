import type { SearchLanguage } from '../../../../shared/domain/search-language.ts';
import type { FeedTopic } from '../../../../shared/schemas/feed-request.ts';
import type { Change } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

/** A row of the feed with its key; the row is null if its object was deleted. */
export type KeyedRow = readonly [key: string, row: object | null];

/** The namespaces whose rows a consumer of the feed gets. */
export interface Reach {
  /** True if rows of several namespaces are sent: a row then contains its namespace, and its key begins with it. */
  readonly isMany: boolean;
  /**
   * True if the consumer gets upgrade plans, which are in no namespace. Principals who are limited to another namespace
   * than `default` do not get them.
   */
  readonly seesPlans: boolean;
  /** Returns the namespaces whose rows the consumer gets. Deleted namespaces are omitted. */
  namespaces(registry: Pick<Registry, 'findNamespace' | 'namespaces'>): readonly Namespace[];
}

/** The state from which the rows for one consumer are built. */
export interface ShownState {
  readonly registry: Pick<Registry, 'findNamespace' | 'namespaces' | 'state'>;
  readonly reach: Reach;
}

export type ChangesByNamespace = ReadonlyMap<string, readonly Change[]>;

/** Defines how one kind of object is shown in the feed. */
export interface Topic {
  readonly name: FeedTopic;
  /** The search language for the rows; absent if they cannot be searched. */
  readonly search?: SearchLanguage<never>;
  /**
   * Returns a text that changes with the state that affects rows but is not stored. After such a change all rows may be
   * different without a change record. Absent: rows are derived from stored state only.
   */
  readonly revision?: (registry: ShownState['registry']) => string;
  /** Yields all rows. A row is built when the iterator reaches it, from the state at that moment. */
  readonly rows: (state: ShownState, now: () => number) => Iterable<KeyedRow>;
  /**
   * Yields one row for each changed object. The changed keys are determined by the call, but a row is built when the
   * iterator reaches it.
   */
  readonly changed: (state: ShownState, changes: ChangesByNamespace, nowMs: number) => Iterable<KeyedRow>;
}

/** The feed topic of one kind of stored objects. */
export interface ShownTable {
  /** The topic that shows objects of this kind in the feed; absent if they are not in the feed. */
  readonly topic?: Topic;
}

/** Returns the topic of a kind of objects that are in namespaces. */
export function namespacedTopic<Item, Row extends object>({
  name,
  search,
  all,
  changed,
  row,
}: {
  readonly name: FeedTopic;
  readonly search: SearchLanguage<Row>;
  /** Yields all items of a namespace with their keys. */
  readonly all: (namespace: Namespace) => Iterable<readonly [string, Item]>;
  /**
   * Returns the changed items by key; an item is undefined if it was deleted.
   *
   * @param namespace undefined if the namespace was deleted since, with everything in it
   */
  readonly changed: (
    namespace: Namespace | undefined,
    changes: readonly Change[],
  ) => ReadonlyMap<string, Item | undefined>;
  /** Returns the row of an item; null if there is nothing to show. */
  readonly row: (item: Item, nowMs: number) => Row | null;
}): Topic {
  return {
    name,
    search,
    *rows({ registry, reach }, now) {
      for (const namespace of reach.namespaces(registry)) {
        for (const [key, item] of all(namespace)) {
          const shown = row(item, now());
          if (shown !== null) yield rowAt([key, shown], namespace.name, reach);
        }
      }
    },
    changed({ registry, reach }, changes, nowMs) {
      const itemsByNamespace = [...changes].map(([at, own]) => [at, changed(registry.findNamespace(at), own)] as const);
      return (function* () {
        for (const [at, items] of itemsByNamespace) {
          for (const [key, item] of items) {
            yield rowAt([key, item === undefined ? null : row(item, nowMs)], at, reach);
          }
        }
      })();
    },
  };
}

/**
 * Returns a row for one consumer. If rows of several namespaces are sent, it contains its namespace, and its key begins
 * with it.
 */
function rowAt(keyed: KeyedRow, namespace: string, { isMany }: Pick<Reach, 'isMany'>): KeyedRow {
  if (!isMany) return keyed;
  const [key, row] = keyed;
  return [`${namespace}/${key}`, row === null ? null : { ...row, namespace }];
}
