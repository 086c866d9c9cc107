import type { V2Type, Wrapped } from '../../../../shared/domain/v2/wrapped-object.ts';
import type { Store } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** The source of a dump. */
export interface DumpDeps {
  readonly registry: Registry;
  readonly store: Store;
}

/** A stored object under the key parts after the prefix: the namespace first, if there is one. */
export type StoredObject = readonly [keyParts: readonly string[], value: unknown];

/**
 * The dump of one type of object: as the v2 API shows it, unredacted, and under `mon` everything else that an exact
 * restore needs. State that depends on the time of reading, such as whether an event is silenced, is left out.
 */
export interface Dump {
  readonly type: V2Type;
  /** Second part of the keys, if the table contains several types. */
  readonly kind?: string;
  /** True if the next part of the keys is a namespace. */
  readonly isNamespaced: boolean;
  /** Returns the dumped objects; those that are being removed are omitted. */
  readonly dumped: (
    objects: readonly StoredObject[],
    parts: DumpDeps,
  ) => readonly Wrapped[] | Promise<readonly Wrapped[]>;
}

/** A kind of stored objects, as dumps use it. */
export interface DumpedTable {
  readonly prefix: string;
  /** Absent: it is in no dump. */
  readonly dumps?: readonly Dump[];
}

/** Returns a dump function that converts each object individually. */
export function eachOf(
  dumped: (value: unknown, keyParts: readonly string[], registry: Registry) => Wrapped,
): Dump['dumped'] {
  return (objects, { registry }) => objects.map(([keyParts, value]) => dumped(value, keyParts, registry));
}
