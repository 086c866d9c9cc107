import type { HeldTable } from '../registry/registry.ts';
import type { Table } from '../registry/table.ts';
import type { DefinitionKind, DefinitionKinds, StoredDefinitions } from './state.ts';

const PREFIX = 'definition';

/** What is stored of one; its translation is made of it. */
type StoredObject = DefinitionKinds[DefinitionKind]['object'];

/** Where a definition is. */
export interface DefinitionPlace {
  readonly kind: DefinitionKind;
  /** Empty for what is over all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** Checks, handlers, filters and whatever else is made over the API, as it shows them. */
export const DEFINITIONS: HeldTable & Table<StoredDefinitions, DefinitionPlace, DefinitionKinds[DefinitionKind]> = {
  prefix: PREFIX,
  key: (_definitions, { kind, namespace, name }) => [PREFIX, kind, namespace, name],
  encode: ({ object }) => JSON.stringify(object),
  hold: (definitions, { kind }, definition) => definitions.put(kind, definition),
  drop: (definitions, { kind, namespace, name }) => definitions.remove(kind, namespace, name),
  adopt({ definitions }, stored) {
    definitions.load(
      stored.map(([[, kind], text]) => [kind as DefinitionKind, JSON.parse(text) as StoredObject] as const),
    );
  },
};
