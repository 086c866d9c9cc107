import type { V2Type, Wrapped } from '../../../../shared/domain/v2/wrapped-object.ts';
import type { Store } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** The registry and the store from which objects are dumped. */
export interface DumpDeps {
  readonly registry: Registry;
  readonly store: Store;
}

/** A stored object, with the parts of its key after the prefix: the namespace first, if it is in one. */
export type StoredObject = readonly [keyParts: readonly string[], value: unknown];

/**
 * The dump of one type of object. An object is shown as in the v2 API but unredacted, and `mon` contains everything
 * else that an exact restore needs. State that depends on the time of reading, such as whether an event is silenced, is
 * left out.
 */
export interface Dump {
  readonly type: V2Type;
  /** Second part of the keys of this type, if the table contains several types. */
  readonly kind?: string;
  /** True if the next part of the keys, after the prefix and `kind`, is a namespace. */
  readonly isNamespaced: boolean;
  /** Returns the dumped form of stored objects. Objects that are being removed are omitted. */
  readonly dumped: (
    objects: readonly StoredObject[],
    parts: DumpDeps,
  ) => readonly Wrapped[] | Promise<readonly Wrapped[]>;
}

/** The dumps of one kind of stored objects. */
export interface DumpedTable {
  readonly prefix: string;
  /** The dumps of this kind, one for each type of object in its table; absent if its objects are in no dump. */
  readonly dumps?: readonly Dump[];
}

/** Returns a `dumped` function that converts each object separately. */
export function eachOf(
  dumped: (value: unknown, keyParts: readonly string[], registry: Registry) => Wrapped,
): Dump['dumped'] {
  return (objects, { registry }) => objects.map(([keyParts, value]) => dumped(value, keyParts, registry));
}
