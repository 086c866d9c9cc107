import type { Attributes } from '../../../shared/domain/attributes.ts';
import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import { IDLE_ATTRIBUTES } from '../../../shared/domain/v2/idle-attributes.ts';
import { movedFilterWarnings } from '../../../shared/domain/v2/filter-warnings.ts';
import { idleAttributes, type LostAttribute } from '../../../shared/domain/v2/import-losses.ts';
import { SHELL_TOKENS_WARNING, findShellTokens } from '../../../shared/domain/shell-tokens.ts';
import { unwrapObject, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { RestoreResult } from '../../../shared/schemas/restore.ts';
import { DEFINITION_SCHEMAS } from '../definitions/schemas.ts';
import {
  isRoleKind,
  translateDefinition,
  type DefinitionKind,
  type DefinitionKinds,
} from '../model/definitions/state.ts';
import type { RoleChange } from '../model/access/roles.ts';
import { isFixedRole } from '../access/role-guard.ts';
import { skippedResult, restoreState, type RestoreContext } from './restore-context.ts';
import { saveDefinition } from '../model/definitions/mutations.ts';

export function restoreDefinition(
  context: RestoreContext,
  namespace: string,
  kind: DefinitionKind,
  object: WrappedObject,
): RestoreResult {
  const namespacedObject = setNamespace(object, namespace);
  const parsed = DEFINITION_SCHEMAS[kind].safeParse(namespacedObject);
  if (!parsed.success) return skippedResult(problemsOf(parsed.error));
  const { name } = parsed.data.metadata;
  if (namespace === DEFAULT_NAMESPACE && context.definitions.configured(kind).has(name)) {
    return skippedResult(`${name} is defined in the configuration file; change it there`);
  }
  const { transaction } = context;
  const definition = usableDefinition(kind, namespacedObject);
  if ('problem' in definition) return skippedResult(definition.problem);
  const refused = context.commands.problemOf(kind, definition);
  if (refused !== undefined) return skippedResult(refused);
  const { definitions } = transaction.registry;
  const before = definitions.get(kind, namespace, name)?.object;
  if (isRoleKind(kind)) {
    const change: RoleChange = { kind, namespace, name, object: definition.object as RoleChange['object'] };
    const problem = problemOfRole(context, change);
    if (problem !== undefined) return skippedResult(problem);
    if (isFixedRole(change)) return { outcome: 'unchanged' };
  }
  const save = (): void => saveDefinition(transaction, kind, definition);
  const restored = restoreState(context, { before, after: definition.object }, save, [
    ...idleAttributes(object.spec, IDLE_ATTRIBUTES[kind] ?? {}),
    ...riskyCommand(kind, definition.object),
  ]);
  const isChange = restored.outcome === 'created' || restored.outcome === 'replaced';
  const warnings = [
    ...definitionWarnings(kind, definition.object),
    ...(kind === 'filters' && isChange ? movedFilterWarnings(definition.object) : []),
  ];
  return warnings.length === 0 ? restored : { ...restored, warnings };
}

function problemOfRole({ roles, transaction }: RestoreContext, change: RoleChange): string | undefined {
  try {
    roles.refuse(change, transaction.registry.credentials);
    return undefined;
  } catch (error) {
    if (error instanceof MonError) return error.message;
    throw error;
  }
}

function riskyCommand(kind: DefinitionKind, object: Attributes): readonly LostAttribute[] {
  if (kind !== 'checks' || findShellTokens(object, true) === undefined) return [];
  return [{ attribute: 'command', reason: `it is kept, but ${SHELL_TOKENS_WARNING}` }];
}

function setNamespace(object: WrappedObject, namespace: string): DefinitionKinds[DefinitionKind]['object'] {
  // Return the submitted value instead of the parsed value: the schema has only validated it.
  return unwrapObject({
    ...object,
    metadata: { ...object.metadata, namespace },
  }) as unknown as DefinitionKinds[DefinitionKind]['object'];
}

function usableDefinition<Kind extends DefinitionKind>(
  kind: Kind,
  object: DefinitionKinds[DefinitionKind]['object'],
): DefinitionKinds[Kind] | { readonly problem: string } {
  try {
    return translateDefinition(kind, object as DefinitionKinds[Kind]['object']);
  } catch (error) {
    if (error instanceof MonError) return { problem: error.message };
    throw error;
  }
}
