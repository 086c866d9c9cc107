import type { SearchLanguage } from '../../../../shared/domain/search-language.ts';
import type { FeedTopic } from '../../../../shared/schemas/feed-request.ts';
import type { Change } from '../../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

/** A row under its key; `null`: deleted. */
export type KeyedRow = readonly [key: string, row: object | null];

/** The namespaces that a consumer reads. */
export interface Reach {
  /** True if rows contain their namespace: then their keys begin with it. */
  readonly isMany: boolean;
  /**
   * True if upgrade plans are included, which are in no namespace. They are hidden from principals limited to another
   * namespace than `default`.
   */
  readonly seesPlans: boolean;
  /** Returns namespaces that hold or held rows of the topic; deleted ones are omitted. */
  namespaces(registry: Pick<Registry, 'findNamespace' | 'namespaces'>): readonly Namespace[];
}

/** The state from which rows are built. */
export interface ShownState {
  readonly registry: Pick<Registry, 'findNamespace' | 'namespaces' | 'state'>;
  readonly reach: Reach;
}

export type ChangesByNamespace = ReadonlyMap<string, readonly Change[]>;

/** Defines how one kind of object is shown in the feed. */
export interface Topic {
  readonly name: FeedTopic;
  /** The search language of its rows; absent: they cannot be searched. */
  readonly search?: SearchLanguage<never>;
  /**
   * Returns the revision of the state that is not stored and from which its rows are derived. When it changes, all rows
   * may have changed without a change record. Absent: there is none.
   */
  readonly revision?: (registry: ShownState['registry']) => string;
  /** Yields all rows, each in its state when it is requested. */
  readonly rows: (state: ShownState, now: () => number) => Iterable<KeyedRow>;
  /**
   * Yields the newest rows of changed objects, each once: the keys are determined at the call, the content when it is
   * requested.
   */
  readonly changed: (state: ShownState, changes: ChangesByNamespace, nowMs: number) => Iterable<KeyedRow>;
}

/** A kind of stored objects, as the feed uses it. */
export interface ShownTable {
  /** Absent: it is not in the feed. */
  readonly topic?: Topic;
}

/** Returns the topic of a kind whose objects are in namespaces. */
export function namespacedTopic<Item, Row extends object>({
  name,
  search,
  all,
  changed,
  row,
}: {
  readonly name: FeedTopic;
  readonly search: SearchLanguage<Row>;
  /** Yields all items by their keys. */
  readonly all: (namespace: Namespace) => Iterable<readonly [string, Item]>;
  /**
   * Returns the changed items by their keys; undefined: deleted.
   *
   * @param namespace undefined: it was deleted since, with everything in it
   */
  readonly changed: (
    namespace: Namespace | undefined,
    changes: readonly Change[],
  ) => ReadonlyMap<string, Item | undefined>;
  /** Returns a row; null: there is nothing to show. */
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

/** Returns a row for a consumer: for several namespaces it contains its namespace, and its key begins with it. */
function rowAt(keyed: KeyedRow, namespace: string, { isMany }: Pick<Reach, 'isMany'>): KeyedRow {
  if (!isMany) return keyed;
  const [key, row] = keyed;
  return [`${namespace}/${key}`, row === null ? null : { ...row, namespace }];
}
