import type { DumpedType, WrappedObject } from '../../../../shared/domain/v2/wrapped-object.ts';
import type { Store } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** The registry and the store that objects are dumped from. */
export interface DumpDependencies {
  readonly registry: Registry;
  readonly store: Store;
}

/**
 * A stored object and the parts of its key after the prefix. If it belongs to a namespace, the first part is the
 * namespace.
 */
export type StoredObject = readonly [keyParts: readonly string[], value: unknown];

/**
 * Converts the stored objects of one type for a dump. A dumped object has the form of the v2 API, without redaction.
 * Its attribute `mon` contains all else that an exact restore needs. State that depends on the time of reading is left
 * out, such as whether an event is silenced.
 */
export interface TableDump {
  readonly type: DumpedType;
  /** Second part of the keys of this type, if the table contains several types. */
  readonly kind?: string;
  /** True if the next part of the keys, after the prefix and `kind`, is a namespace. */
  readonly isNamespaced: boolean;
  /** Returns the dumped form of stored objects. Objects that are being removed are omitted. */
  readonly dumped: (
    objects: readonly StoredObject[],
    parts: DumpDependencies,
  ) => readonly WrappedObject[] | Promise<readonly WrappedObject[]>;
}

/** How one kind of stored objects is dumped. */
export interface DumpedTable {
  readonly prefix: string;
  /** The dumps of this kind, one for each type of object in its table; absent if dumps do not contain these objects. */
  readonly dumps?: readonly TableDump[];
}

/** Returns a `dumped` function that converts each object separately. */
export function eachOf(
  dumped: (value: unknown, keyParts: readonly string[], registry: Registry) => WrappedObject,
): TableDump['dumped'] {
  return (objects, { registry }) => objects.map(([keyParts, value]) => dumped(value, keyParts, registry));
}
