import type { V2Type, Wrapped } from '../../../shared/domain/v2/wrapped.ts';
import type { Store } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** What a dump is taken from. */
export interface DumpDeps {
  readonly registry: Registry;
  readonly store: Store;
}

/** What is stored, under the parts of its key behind the prefix: the namespace first, where there is one. */
export type Found = readonly [place: readonly string[], value: unknown];

/**
 * What a dump holds of one type of object: as version 2 shows it, unredacted, and under `mon` what else it takes to bring it
 * back as it is. What is only true at the moment of reading, such as whether an event is silenced, is left out.
 */
export interface Dump {
  readonly type: V2Type;
  /** Second part of the keys, where those of the table are of several types. */
  readonly kind?: string;
  /** Whether the next part of the keys is a namespace. */
  readonly isNamespaced: boolean;
  /** What is being removed is left out. */
  readonly dumped: (found: readonly Found[], parts: DumpDeps) => readonly Wrapped[] | Promise<readonly Wrapped[]>;
}

/** A kind of what is stored, as dumps ask it. */
export interface DumpedTable {
  readonly prefix: string;
  /** Absent: it is in no dump. */
  readonly dumps?: readonly Dump[];
}

/** Each by itself. */
export function eachOf(
  dumped: (value: unknown, place: readonly string[], registry: Registry) => Wrapped,
): Dump['dumped'] {
  return (found, { registry }) => found.map(([place, value]) => dumped(value, place, registry));
}
