import type { SearchLanguage } from '../../../shared/domain/search-language.ts';
import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import type { Change } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

/** A row under its key; `null`: gone. */
export type KeyedRow = readonly [key: string, row: object | null];

/** The namespaces that somebody hears of. */
export interface Reach {
  /** Whether rows say where they are: their keys begin with the namespace. */
  readonly isMany: boolean;
  /** Whether plans for upgrades are shown, which are in no namespace: not to who is kept to another one than `default`. */
  readonly seesPlans: boolean;
  /** Namespaces that hold rows of the topic, or did: a name that was removed meanwhile is left out. */
  namespaces(registry: Pick<Registry, 'held' | 'namespaces'>): readonly Namespace[];
}

/** What rows are made of. */
export interface ShownState {
  readonly registry: Pick<Registry, 'held' | 'namespaces' | 'state'>;
  readonly reach: Reach;
}

export type ChangesByNamespace = ReadonlyMap<string, readonly Change[]>;

/** How one kind of thing is shown in the feed. */
export interface Topic {
  readonly name: FeedTopic;
  /** How its rows are searched; absent: they cannot be. */
  readonly search?: SearchLanguage<never>;
  /**
   * Of what its rows are made beside what is stored: once it is another, they may all be others, and no change says so.
   * Absent: of nothing.
   */
  readonly revision?: (registry: ShownState['registry']) => string;
  /** All rows, each as it is when it is asked for. */
  readonly rows: (state: ShownState, now: () => number) => Iterable<KeyedRow>;
  /** The newest rows of what changed, each once: which they are is found out at once, what is in them when it is asked. */
  readonly changed: (state: ShownState, changes: ChangesByNamespace, nowMs: number) => Iterable<KeyedRow>;
}

/** A kind of what is stored, as the feed asks it. */
export interface ShownTable {
  /** Absent: it is not in the feed. */
  readonly topic?: Topic;
}

/** The topic of what is in namespaces, by what it is in one. */
export function namespacedTopic<Item, Row extends object>({
  name,
  search,
  all,
  changed,
  row,
}: {
  readonly name: FeedTopic;
  readonly search: SearchLanguage<Row>;
  /** By their keys. */
  readonly all: (namespace: Namespace) => Iterable<readonly [string, Item]>;
  /**
   * What changed, by its key; undefined: it is gone.
   *
   * @param namespace undefined: it was removed since, and all that was in it
   */
  readonly changed: (
    namespace: Namespace | undefined,
    changes: readonly Change[],
  ) => ReadonlyMap<string, Item | undefined>;
  /** Null: there is nothing to show. */
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
      const found = [...changes].map(([at, own]) => [at, changed(registry.held(at), own)] as const);
      return (function* () {
        for (const [at, items] of found) {
          for (const [key, item] of items) {
            yield rowAt([key, item === undefined ? null : row(item, nowMs)], at, reach);
          }
        }
      })();
    },
  };
}

/** A row of a namespace as a consumer gets it: among those of many it says where it is, and its key begins with that. */
function rowAt(keyed: KeyedRow, namespace: string, { isMany }: Pick<Reach, 'isMany'>): KeyedRow {
  if (!isMany) return keyed;
  const [key, row] = keyed;
  return [`${namespace}/${key}`, row === null ? null : { ...row, namespace }];
}
