import type { DeclaredNamespaces } from './state.ts';
import type { Table } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { type Wrapped, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

const PREFIX = 'namespace';

/** Namespaces that were created over the API. */
export const NAMESPACES: StoredTable & Table<DeclaredNamespaces, string, string> = {
  prefix: PREFIX,
  key: (_declared, name) => [PREFIX, name],
  encode: (name) => JSON.stringify({ name }),
  hold: (declared, name) => declared.add(name),
  drop: (declared, name) => declared.remove(name),
  adopt: ({ declared }, stored) => declared.load(stored.map(([[, name]]) => String(name))),
};

export function dumpedNamespace(name: string): Wrapped {
  return wrappedOf('Namespace', {}, { name });
}
