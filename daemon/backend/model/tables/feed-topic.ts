import type { SearchLanguage } from '../../../../shared/domain/search-language.ts';
import type { FeedTopic } from '../../../../shared/schemas/feed-request.ts';
import type { Change } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

/** A feed row and its key; the row is null if its object was deleted. */
export type KeyedRow = readonly [key: string, row: object | null];

/** The namespaces whose rows a consumer of the feed gets. */
export interface ConsumerReach {
  /**
   * True if rows of several namespaces are sent. In this case each row contains its namespace, and its key begins with
   * it.
   */
  readonly hasManyNamespaces: boolean;
  /**
   * True if the consumer gets upgrade plans, which belong to no namespace. Principals who are limited to a namespace
   * other than `default` do not get them.
   */
  readonly seesPlans: boolean;
  /** Returns the namespaces whose rows the consumer gets. Deleted namespaces are omitted. */
  namespaces(registry: Pick<Registry, 'findNamespace' | 'namespaces'>): readonly Namespace[];
}

/** The state that the rows for one consumer are built from. */
export interface FeedRowState {
  readonly registry: Pick<Registry, 'findNamespace' | 'namespaces' | 'state'>;
  readonly reach: ConsumerReach;
}

export type ChangesByNamespace = ReadonlyMap<string, readonly Change[]>;

/** Defines the feed rows of one kind of objects. */
export interface Topic {
  readonly name: FeedTopic;
  /** The search language for the rows; absent if they cannot be searched. */
  readonly search?: SearchLanguage<never>;
  /**
   * Returns a text that changes if rows change because of state that is not stored. After such a change, any row can
   * differ without a change record. Absent if rows depend on stored state only.
   */
  readonly revision?: (registry: FeedRowState['registry']) => string;
  /** Yields all rows. A row is built when the iterator reaches it, from the state at that time. */
  readonly rows: (state: FeedRowState, now: () => number) => Iterable<KeyedRow>;
  /**
   * Yields one row for each changed object. The call determines the keys of the changed objects; a row is built when
   * the iterator reaches it.
   */
  readonly changed: (state: FeedRowState, changes: ChangesByNamespace, nowMs: number) => Iterable<KeyedRow>;
}

/** The feed topic of one kind of stored objects. */
export interface TableTopic {
  /** The feed topic for objects of this kind; absent if they are not in the feed. */
  readonly topic?: Topic;
}

/** Returns the feed topic of a kind of objects that belong to namespaces. */
export function namespacedTopic<Item, Row extends object>({
  name,
  search,
  all,
  changed,
  row,
}: {
  readonly name: FeedTopic;
  /** The search language for the rows; absent if they cannot be searched. */
  readonly search?: SearchLanguage<Row>;
  /** Yields all items of a namespace with their keys. */
  readonly all: (namespace: Namespace) => Iterable<readonly [string, Item]>;
  /**
   * Returns the changed items by key; an item is undefined if it was deleted.
   *
   * @param namespace undefined if the namespace, with everything in it, was deleted since
   */
  readonly changed: (
    namespace: Namespace | undefined,
    changes: readonly Change[],
  ) => ReadonlyMap<string, Item | undefined>;
  /** Returns the row of an item; null if the item is not in the feed. */
  readonly row: (item: Item, nowMs: number) => Row | null;
}): Topic {
  return {
    name,
    ...(search !== undefined && { search }),
    *rows({ registry, reach }, now) {
      for (const namespace of reach.namespaces(registry)) {
        for (const [key, item] of all(namespace)) {
          const shown = row(item, now());
          if (shown !== null) yield addNamespaceToRow([key, shown], namespace.name, reach);
        }
      }
    },
    changed({ registry, reach }, changes, nowMs) {
      const itemsByNamespace = [...changes].map(([at, own]) => [at, changed(registry.findNamespace(at), own)] as const);
      return (function* () {
        for (const [at, items] of itemsByNamespace) {
          for (const [key, item] of items) {
            yield addNamespaceToRow([key, item === undefined ? null : row(item, nowMs)], at, reach);
          }
        }
      })();
    },
  };
}

/**
 * Returns a row for one consumer. If rows of several namespaces are sent, the row contains its namespace, and its key
 * begins with it.
 */
function addNamespaceToRow(
  keyed: KeyedRow,
  namespace: string,
  { hasManyNamespaces: isMany }: Pick<ConsumerReach, 'hasManyNamespaces'>,
): KeyedRow {
  if (!isMany) return keyed;
  const [key, row] = keyed;
  return [`${namespace}/${key}`, row === null ? null : { ...row, namespace }];
}
