import { type DumpedType, type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';
import { eachOf } from '../tables/dump-table.ts';
import type { Table } from '../registry/table.ts';
import { loadedDefinition, type DefinitionKind, type DefinitionKinds, type StoredDefinitions } from './state.ts';
import type { StoredTable } from '../tables/stored-table.ts';

const DEFINITION_PREFIX = 'definition';

/** The stored form of a definition: an object of the v2 API. It is converted to the definition when it is loaded. */
type StoredObject = DefinitionKinds[DefinitionKind]['object'];

/** Each kind of definition, with the type name of its objects in a dump. */
const DUMPED_KINDS: readonly (readonly [DefinitionKind, DumpedType])[] = [
  ['clusterroles', 'ClusterRole'],
  ['clusterrolebindings', 'ClusterRoleBinding'],
  ['roles', 'Role'],
  ['rolebindings', 'RoleBinding'],
  ['filters', 'EventFilter'],
  ['mutators', 'Mutator'],
  ['handlers', 'Handler'],
  ['pipelines', 'Pipeline'],
  ['assets', 'Asset'],
  ['hooks', 'HookConfig'],
  ['checks', 'CheckConfig'],
];

/** The kind, namespace and name of a definition. */
export interface DefinitionKey {
  readonly kind: DefinitionKind;
  /** Name of the namespace; empty for a cluster-wide object. */
  readonly namespace: string;
  readonly name: string;
}

/** The stored table of the definitions that were created over the API, in the form that the v2 API shows. */
export const DEFINITIONS: StoredTable & Table<StoredDefinitions, DefinitionKey, DefinitionKinds[DefinitionKind]> = {
  prefix: DEFINITION_PREFIX,
  key: (_definitions, { kind, namespace, name }) => [DEFINITION_PREFIX, kind, namespace, name],
  encode: ({ object }) => JSON.stringify(object),
  putInMemory: (definitions, { kind }, definition) => definitions.put(kind, definition),
  removeFromMemory: (definitions, { kind, namespace, name }) => definitions.remove(kind, namespace, name),
  replaceAll({ definitions }, stored) {
    definitions.load(
      stored.map(([[, kind], text]) => [kind as DefinitionKind, JSON.parse(text) as StoredObject] as const),
    );
  },
  updateOne([, kind, namespace, name], text) {
    const key = { kind: kind as DefinitionKind, namespace: String(namespace), name: String(name) };
    if (text === undefined) return ({ definitions }) => DEFINITIONS.removeFromMemory(definitions, key);
    const definition = loadedDefinition(key.kind, JSON.parse(text) as StoredObject);
    return ({ definitions }) => DEFINITIONS.putInMemory(definitions, key, definition);
  },
  dumps: DUMPED_KINDS.map(([kind, type]) => ({
    type,
    kind,
    isNamespaced: !kind.startsWith('cluster'),
    dumped: eachOf((value) => dumpedDefinition(type, value as Parameters<typeof dumpedDefinition>[1])),
  })),
};

function dumpedDefinition(
  type: DumpedType,
  {
    metadata: { namespace, ...metadata },
    ...spec
  }: { readonly metadata: Readonly<Record<string, unknown>>; readonly [attribute: string]: unknown },
): WrappedObject {
  // The dump of a cluster-wide object has no namespace.
  return wrappedOf(type, namespace === '' ? metadata : { ...metadata, namespace }, spec);
}
