import { checkDefinitionOf } from '../../../../shared/domain/v2/check.ts';
import { withCommandText } from '../../../../shared/domain/v2/definition-command.ts';
import { v2EventFilterOf, type V2EventFilter } from '../../../../shared/domain/v2/filter.ts';
import { handlerDefinitionOf } from '../../../../shared/domain/v2/handler.ts';
import { mutatorDefinitionOf } from '../../../../shared/domain/v2/mutator.ts';
import { pipelineDefinitionOf, type PipelineDefinition } from '../../../../shared/domain/v2/pipeline.ts';
import { isUntranslatable, type UntranslatableObject } from '../../../../shared/domain/v2/problem.ts';
import {
  completeAsset,
  completeCheck,
  completeFilter,
  completeHandler,
  completeHook,
  completeMutator,
  completePipeline,
  completeRole,
  shownRoleBinding,
} from '../../../../shared/domain/v2/zero-values.ts';
import { errorMessage, MonError } from '../../../../shared/errors.ts';
import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import type { V2Asset } from '../../../../shared/schemas/v2/asset.ts';
import type { V2Check } from '../../../../shared/schemas/v2/check.ts';
import type { V2Filter } from '../../../../shared/schemas/v2/filter.ts';
import type { V2Handler } from '../../../../shared/schemas/v2/handler.ts';
import type { V2Hook } from '../../../../shared/schemas/v2/hook.ts';
import type { V2Mutator } from '../../../../shared/schemas/v2/mutator.ts';
import type { V2Pipeline } from '../../../../shared/schemas/v2/pipeline.ts';
import type { Role, RoleBinding } from '../../../../shared/schemas/v2/role.ts';
import type { HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';

/**
 * The two forms of each kind of definition: the object that the v2 API shows, and the definition that the backend uses.
 */
export interface DefinitionKinds {
  readonly checks: { readonly object: V2Check; readonly definition: CheckDefinition & { readonly name: string } };
  readonly handlers: { readonly object: V2Handler; readonly definition: HandlerDefinition };
  readonly filters: { readonly object: V2Filter; readonly definition: V2EventFilter };
  readonly mutators: { readonly object: V2Mutator; readonly definition: MutatorDefinition };
  readonly pipelines: { readonly object: V2Pipeline; readonly definition: PipelineDefinition };
  readonly hooks: { readonly object: V2Hook; readonly definition: V2Hook };
  readonly assets: { readonly object: V2Asset; readonly definition: V2Asset };
  readonly roles: { readonly object: Role; readonly definition: Role };
  readonly rolebindings: { readonly object: RoleBinding; readonly definition: RoleBinding };
  /** The cluster-wide kinds, `clusterroles` and `clusterrolebindings`; the namespace of their objects is `''`. */
  readonly clusterroles: { readonly object: Role; readonly definition: Role };
  readonly clusterrolebindings: { readonly object: RoleBinding; readonly definition: RoleBinding };
}

export type DefinitionKind = keyof DefinitionKinds;
type ObjectOf<Kind extends DefinitionKind> = DefinitionKinds[Kind]['object'];

/** The kinds of definitions that determine the rights of users. */
export const ROLE_KINDS = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const;
export type RoleKind = (typeof ROLE_KINDS)[number];

export const DEFINITION_KINDS: readonly DefinitionKind[] = [
  'checks',
  'handlers',
  'filters',
  'mutators',
  'pipelines',
  'hooks',
  'assets',
  ...ROLE_KINDS,
];

export function isRoleKind(kind: DefinitionKind): kind is RoleKind {
  return ROLE_KINDS.some((one) => one === kind);
}

/** Functions that complete a submitted object to the form that the v2 API shows, by kind of definition. */
const COMPLETE_BY_KIND: { readonly [Kind in DefinitionKind]?: (object: ObjectOf<Kind>) => ObjectOf<Kind> } = {
  checks: completeCheck,
  handlers: completeHandler,
  filters: completeFilter,
  mutators: completeMutator,
  pipelines: completePipeline,
  hooks: completeHook,
  assets: completeAsset,
  roles: completeRole,
  clusterroles: completeRole,
  rolebindings: shownRoleBinding,
  clusterrolebindings: shownRoleBinding,
};

const TRANSLATE_BY_KIND: {
  readonly [Kind in DefinitionKind]: (
    object: ObjectOf<Kind>,
  ) => DefinitionKinds[Kind]['definition'] | UntranslatableObject;
} = {
  checks: checkDefinitionOf,
  handlers: handlerDefinitionOf,
  filters: v2EventFilterOf,
  mutators: mutatorDefinitionOf,
  pipelines: pipelineDefinitionOf,
  hooks: (hook) => hook,
  assets: (asset) => asset,
  roles: (role) => role,
  rolebindings: (binding) => binding,
  clusterroles: (role) => role,
  clusterrolebindings: (binding) => binding,
};

/**
 * Completes an object to its stored form, and converts it to the definition that the backend uses.
 *
 * @throws MonError `invalid` with the position of the problem, if the object cannot be converted
 */
export function translateDefinition<Kind extends DefinitionKind>(
  kind: Kind,
  object: ObjectOf<Kind>,
): DefinitionKinds[Kind] {
  const shown = withCommandText(COMPLETE_BY_KIND[kind]?.(object) ?? object);
  const definition = TRANSLATE_BY_KIND[kind](shown);
  if (isUntranslatable(definition)) throw new MonError('invalid', definition.problem);
  // The object and the definition belong to the same kind, which the compiler cannot verify.
  return { object: shown, definition } as unknown as DefinitionKinds[Kind];
}

type DefinitionsByName<Kind extends DefinitionKind> = Map<string, DefinitionKinds[Kind]>;
type Tables = { readonly [Kind in DefinitionKind]: Map<string, DefinitionsByName<Kind>> };

/** Definitions that were created over the API, by kind, namespace and name. Only transactions change them. */
export class StoredDefinitions {
  /**
   * Version number of all definitions. It increases with each change, so that data derived from them can be
   * invalidated.
   */
  generation = 0;
  /** Version number of all roles and role bindings. It increases with each change of one of them. */
  roleGeneration = 0;
  #tables: Tables = emptyTables();

  get<Kind extends DefinitionKind>(kind: Kind, namespace: string, name: string): DefinitionKinds[Kind] | undefined {
    return this.#tables[kind].get(namespace)?.get(name);
  }

  /** Returns all definitions of a kind in a namespace, in no order. */
  inNamespace<Kind extends DefinitionKind>(kind: Kind, namespace: string): ReadonlyMap<string, DefinitionKinds[Kind]> {
    return this.#tables[kind].get(namespace) ?? new Map<string, DefinitionKinds[Kind]>();
  }

  /** Yields the namespaces with definitions of a kind, including namespaces that do not exist, in no order. */
  *namespaces(kind: DefinitionKind): Generator<string, void, undefined> {
    for (const [namespace, byName] of this.#tables[kind]) if (byName.size > 0) yield namespace;
  }

  /** Yields all definitions of a kind, including those in namespaces that do not exist, in no order. */
  *all<Kind extends DefinitionKind>(kind: Kind): Generator<DefinitionKinds[Kind], void, undefined> {
    for (const byName of this.#tables[kind].values()) yield* byName.values();
  }

  put<Kind extends DefinitionKind>(kind: Kind, definition: DefinitionKinds[Kind]): void {
    putInto(this.#tables, kind, definition);
    this.#noteChange(kind);
  }

  remove(kind: DefinitionKind, namespace: string, name: string): void {
    this.#tables[kind].get(namespace)?.delete(name);
    this.#noteChange(kind);
  }

  /**
   * Replaces all definitions by stored objects.
   *
   * @throws MonError `invalid` if this version cannot use one of the objects; a later version has stored it
   */
  load(objects: Iterable<readonly [kind: DefinitionKind, object: ObjectOf<DefinitionKind>]>): void {
    const tables = emptyTables();
    for (const [kind, object] of objects) putInto(tables, kind, loadedDefinition(kind, object));
    this.#tables = tables;
    this.generation++;
    this.roleGeneration++;
  }

  #noteChange(kind: DefinitionKind): void {
    this.generation++;
    if (isRoleKind(kind)) this.roleGeneration++;
  }
}

/**
 * Converts a stored object to the definition that the backend uses.
 *
 * @throws MonError `invalid` if this version cannot use the object; a later version has stored it
 */
export function loadedDefinition<Kind extends DefinitionKind>(
  kind: Kind,
  object: ObjectOf<Kind>,
): DefinitionKinds[Kind] {
  try {
    return translateDefinition(kind, object);
  } catch (error) {
    const { namespace, name } = object.metadata;
    const subject = `${name} of the stored ${kind} in the namespace ${namespace}`;
    throw new MonError('invalid', `${subject} cannot be used by this version: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function putInto<Kind extends DefinitionKind>(tables: Tables, kind: Kind, definition: DefinitionKinds[Kind]): void {
  const { namespace, name } = definition.object.metadata;
  let byName: DefinitionsByName<Kind> | undefined = tables[kind].get(namespace);
  if (byName === undefined) tables[kind].set(namespace, (byName = new Map()));
  byName.set(name, definition);
}

function emptyTables(): Tables {
  return Object.fromEntries(DEFINITION_KINDS.map((kind) => [kind, new Map()])) as unknown as Tables;
}
