import {
  BUILT_IN_BINDINGS,
  BUILT_IN_CLUSTER_BINDINGS,
  BUILT_IN_CLUSTER_ROLES,
  BUILT_IN_ROLES,
} from '../../../../shared/domain/v2/built-in-roles.ts';
import { roleIndexOf, type RoleIndex } from '../../../../shared/domain/v2/roles.ts';
import type { Role, RoleBinding } from '../../../../shared/schemas/v2/role.ts';
import type { RoleKind, StoredDefinitions } from '../definitions/state.ts';

type RoleObject = Role | RoleBinding;

/** The built-in roles and role bindings by kind; they are not in the store. */
const BUILT_IN_OBJECTS: Readonly<Record<RoleKind, readonly RoleObject[]>> = {
  roles: BUILT_IN_ROLES,
  rolebindings: BUILT_IN_BINDINGS,
  clusterroles: BUILT_IN_CLUSTER_ROLES,
  clusterrolebindings: BUILT_IN_CLUSTER_BINDINGS,
};

/** A planned change of a role or role binding. */
export interface RoleChange {
  readonly kind: RoleKind;
  readonly namespace: string;
  readonly name: string;
  /** The new role or role binding; undefined if it is to be removed. */
  readonly object: RoleObject | undefined;
}

/**
 * The current roles and role bindings. They are the built-in objects and the stored objects; a stored object overrides
 * the built-in object of the same name.
 */
export class Roles {
  readonly #definitions: StoredDefinitions;
  #index: { readonly version: number; readonly index: RoleIndex } | undefined;

  constructor(definitions: StoredDefinitions) {
    this.#definitions = definitions;
  }

  /** Version number that differs after each change of a stored role or role binding. */
  get version(): number {
    return this.#definitions.roleGeneration;
  }

  get index(): RoleIndex {
    const { version } = this;
    if (this.#index?.version !== version) this.#index = { version, index: this.#indexAfter([]) };
    return this.#index.index;
  }

  /** Returns the index of all roles and role bindings as it would be after a change. */
  indexWith(change: RoleChange): RoleIndex {
    return this.#indexAfter([change]);
  }

  #indexAfter(changes: readonly RoleChange[]): RoleIndex {
    const all = (kind: RoleKind): readonly RoleObject[] => {
      const byKey = new Map(BUILT_IN_OBJECTS[kind].filter(isInForce).map((object) => [keyOf(object.metadata), object]));
      for (const { object } of this.#definitions.all(kind)) byKey.set(keyOf(object.metadata), object);
      for (const change of changes) {
        if (change.kind !== kind) continue;
        const key = keyOf(change);
        byKey.delete(key);
        const object = change.object ?? findBuiltIn(kind, change.namespace, change.name);
        if (object !== undefined) byKey.set(key, object);
      }
      return [...byKey.values()];
    };
    return roleIndexOf({
      clusterRoles: all('clusterroles') as readonly Role[],
      clusterBindings: all('clusterrolebindings') as readonly RoleBinding[],
      roles: all('roles') as readonly Role[],
      bindings: all('rolebindings') as readonly RoleBinding[],
    });
  }
}

/**
 * True if rights depend on a built-in object: on each role, but on no role binding except `cluster-admin`. Other rights
 * need no role binding. Routes decide which rights users have over themselves, and agents have a scope by their group
 * (`PERMANENT_GROUPS`).
 */
function isInForce(object: RoleObject): boolean {
  return !('subjects' in object) || object.metadata.name === 'cluster-admin';
}

/** Returns the built-in role or role binding with this name; undefined if there is none. */
export function findBuiltIn(kind: RoleKind, namespace: string, name: string): RoleObject | undefined {
  return BUILT_IN_OBJECTS[kind].find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
}

/** Returns the built-in roles or role bindings of a namespace. */
export function builtInsOf(kind: RoleKind, namespace: string): readonly RoleObject[] {
  return BUILT_IN_OBJECTS[kind].filter(({ metadata }) => metadata.namespace === namespace);
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return JSON.stringify([namespace, name]);
}
