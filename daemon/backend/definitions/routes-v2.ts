import type { z } from 'zod';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { DEFINITION_REDACT_KEYS, redact } from '../../../shared/domain/redact.ts';
import type { Operation } from '../../../shared/domain/v2/roles.ts';
import { idleWarnings } from '../../../shared/domain/v2/idle-attributes.ts';
import { definitionWarnings } from '../../../shared/domain/v2/definition-warnings.ts';
import { SHELL_TOKENS_WARNING, findShellTokens } from '../../../shared/domain/shell-tokens.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { METADATA_ACCESSORS, type NamespaceSource, type Collection } from '../http/v2-collection.ts';
import { DEFINITION_SCHEMAS, type SubmittedDefinition } from './schemas.ts';
import type { DefinitionKind, DefinitionKinds, StoredDefinitions } from '../model/definitions/state.ts';
import type { DefinitionChanges } from './commands.ts';
import { hasScope, isAllowedByRoles, mayUpdateObject, type Principal } from '../access/principal.ts';
import type { Log } from '../../log/log.ts';
import { objectsAfterKey } from '../http/v2-object-list.ts';
import { setNamespace } from '../../../shared/domain/v2/wrapped-object.ts';

type ObjectOf<Kind extends DefinitionKind> = DefinitionKinds[Kind]['object'];

/** The dependencies of the v2 routes for definitions. */
export interface DefinitionDependencies extends NamespaceSource {
  readonly definitionChanges: DefinitionChanges;
  readonly log: Log;
  readonly registry: NamespaceSource['registry'] & { readonly definitions: StoredDefinitions };
}

/** A kind of definition, with the properties that its v2 routes need. */
interface KindOfDefinition<Kind extends DefinitionKind> {
  readonly kind: Kind;
  /**
   * Returns the objects of this kind in the configuration, as the v2 API shows them in the namespace `default`. Absent
   * if the configuration cannot contain this kind.
   */
  readonly configured?: () => readonly ObjectOf<Kind>[];
  /** True if definitions of this kind start commands or connections on the backend host, outside any namespace. */
  readonly isRunByBackend?: boolean;
}

/**
 * Returns the definitions of a kind as a collection for the v2 routes: the stored definitions, and those of the
 * configuration, which are read-only.
 */
export function definitionCollection<Kind extends DefinitionKind>(
  { definitionChanges, registry, log }: DefinitionDependencies,
  { kind, configured = () => [], isRunByBackend = false }: KindOfDefinition<Kind>,
): Collection<ObjectOf<Kind>, SubmittedDefinition<Kind>> {
  const fieldRoot = kind.slice(0, -1);
  const { keyOf } = METADATA_ACCESSORS;
  const inConfiguration = (namespace: string): ReadonlyMap<string, ObjectOf<Kind>> =>
    new Map(namespace === DEFAULT_NAMESPACE ? configured().map((object) => [object.metadata.name, object]) : []);
  const shown = (namespace: string): ObjectOf<Kind>[] => {
    const stored = [...registry.definitions.inNamespace(kind, namespace).values()].map(({ object }) => object);
    const own = inConfiguration(namespace);
    return [...own.values(), ...stored.filter(({ metadata: { name } }) => !own.has(name))];
  };
  const targetOf = (object: ObjectOf<Kind>): Omit<Operation, 'verb'> => {
    const { namespace, name } = object.metadata;
    return { resource: kind, name, namespace: isRunByBackend ? undefined : namespace };
  };
  return {
    ...METADATA_ACCESSORS,
    fieldRoot,
    orphanNamespaces: () => registry.definitions.namespaces(kind),
    parse: (value) => {
      refuseInvalid(value, DEFINITION_SCHEMAS[kind]);
      // The submitted value is returned instead of the parsed value, which can contain reordered or additional
      // attributes.
      return value as SubmittedDefinition<Kind>;
    },
    withNamespace: setNamespace,
    // A caller who may update the object gets it with its secrets: if they were redacted, they would be lost when the
    // caller changes the object and writes it back.
    show: (object, principal) =>
      mayUpdateObject(principal, targetOf(object)) ? object : redact(object, DEFINITION_REDACT_KEYS),
    list: (namespace, after) => [objectsAfterKey(shown(namespace), after, keyOf)],
    get: (namespace, [name = '']) =>
      inConfiguration(namespace).get(name) ?? registry.definitions.get(kind, namespace, name)?.object,
    write: async (namespace, [name = ''], change, actor, { principal, method }) => {
      if (isRunByBackend)
        refuseKept(principal, { verb: method === 'POST' ? 'create' : 'update', resource: kind, name, namespace });
      const written = await definitionChanges.write(kind, namespace, name, change, actor);
      for (const warning of warningsOf(kind, written)) log.warn({ namespace, [fieldRoot]: name }, warning);
      return written;
    },
    warningsOf: (object) => warningsOf(kind, object),
    remove: (namespace, [name = ''], check, actor) => definitionChanges.remove(kind, namespace, name, check, actor),
  };
}

function warningsOf(kind: DefinitionKind, object: Attributes): readonly string[] {
  // Only the commands of checks are tested for risky tokens, because other commands contain no substituted data.
  const isRisky = kind === 'checks' && findShellTokens(object, true) !== undefined;
  return [
    ...(isRisky ? [`the check ${SHELL_TOKENS_WARNING}`] : []),
    ...idleWarnings(kind, object),
    ...definitionWarnings(kind, object),
  ];
}

/**
 * Rejects callers that an API key or a role limits to one namespace, because a command on the backend host is not
 * confined to a namespace.
 *
 * @throws MonError `forbidden` if the caller is limited to one namespace
 */
function refuseKept(principal: Principal, doing: Operation): void {
  const { name, namespace } = principal;
  const isAdminOfAllNamespaces =
    hasScope(principal, 'admin') || isAllowedByRoles(principal, 'admin', { ...doing, namespace: undefined });
  if (namespace === undefined && isAdminOfAllNamespaces) return;
  throw new MonError(
    'forbidden',
    `${name} is limited to the namespace ${String(namespace ?? doing.namespace)}, but ${doing.resource} run on the backend host: ask an administrator of all namespaces`,
  );
}

/** @throws MonError `invalid` if the value does not match the schema */
function refuseInvalid(value: unknown, schema: z.ZodType): void {
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw new MonError('invalid', problemsOf(error));
}
