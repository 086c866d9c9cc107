import type { Transaction } from '../transaction/transaction.ts';
import type { DefinitionKind, DefinitionKinds } from './state.ts';
import { DEFINITIONS } from './storage.ts';

/** Stores a definition. It replaces an existing definition of the same kind, namespace and name. */
export function saveDefinition<Kind extends DefinitionKind>(
  transaction: Transaction,
  kind: Kind,
  definition: DefinitionKinds[Kind],
): void {
  const { namespace, name } = definition.object.metadata;
  transaction.put(DEFINITIONS, transaction.registry.definitions, { kind, namespace, name }, definition);
}
