import type { DeclaredNamespaces } from './state.ts';
import type { Table } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

const NAMESPACE_PREFIX = 'namespace';

/** Namespaces that were created over the API. */
export const NAMESPACES: StoredTable & Table<DeclaredNamespaces, string, string> = {
  prefix: NAMESPACE_PREFIX,
  key: (_declared, name) => [NAMESPACE_PREFIX, name],
  encode: (name) => JSON.stringify({ name }),
  putInMemory: (declared, name) => declared.add(name),
  removeFromMemory: (declared, name) => declared.remove(name),
  replaceAll: ({ declared }, stored) => declared.load(stored.map(([[, name]]) => String(name))),
};

export function dumpedNamespace(name: string): WrappedObject {
  return wrappedOf('Namespace', {}, { name });
}
