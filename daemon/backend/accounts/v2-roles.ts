import { CLUSTER_NAMESPACE } from '../../../shared/domain/v2/built-in-roles.ts';
import type { RoleIndex } from '../../../shared/domain/v2/roles.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Role, RoleBinding, SubmittedRole, SubmittedRoleBinding } from '../../../shared/schemas/v2/role.ts';
import type { RoleKind } from '../model/definitions/state.ts';
import type { CredentialRegistry } from '../model/access/credentials.ts';
import { namedGroups, type EscalationGuard } from '../access/escalation-guard.ts';
import { findBuiltIn, builtInsOf } from '../model/access/roles.ts';
import { hasScope, type Principal } from '../access/principal.ts';
import { objectHandlers, METADATA_ACCESSORS, type Collection } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDependencies } from '../definitions/routes-v2.ts';
import { objectsAfterKey } from '../http/v2-object-list.ts';

interface RoleDependencies extends DefinitionDependencies {
  readonly escalation: EscalationGuard;
  readonly registry: DefinitionDependencies['registry'] & { readonly credentials: CredentialRegistry };
}

/**
 * Serves roles and role bindings, in a namespace and cluster-wide. `shared/domain/v2/roles.ts` defines their meaning.
 */
export function rolesOnV2(
  deps: RoleDependencies,
): Readonly<
  Record<'roles' | 'clusterRoles' | 'roleBindings' | 'clusterRoleBindings', ReturnType<typeof objectHandlers>>
> {
  return {
    roles: objectHandlers(deps, rolesOf(deps, 'roles')),
    clusterRoles: objectHandlers(deps, rolesOf(deps, 'clusterroles')),
    roleBindings: objectHandlers(deps, bindingsOf(deps, 'rolebindings')),
    clusterRoleBindings: objectHandlers(deps, bindingsOf(deps, 'clusterrolebindings')),
  };
}

function rolesOf(deps: RoleDependencies, kind: 'roles' | 'clusterroles'): Collection<Role, SubmittedRole> {
  return addBuiltInRoles(deps, kind, definitionCollection(deps, { kind }));
}

function bindingsOf(
  deps: RoleDependencies,
  kind: 'rolebindings' | 'clusterrolebindings',
): Collection<RoleBinding, SubmittedRoleBinding> {
  const collection = addBuiltInRoles(deps, kind, definitionCollection(deps, { kind }));
  return {
    ...collection,
    warningsOf: warningsOfBinding,
    write: async (namespace, key, change, actor, request) => {
      const { index } = deps.registry.credentials.roles;
      const guardedChange = (present: RoleBinding | undefined): RoleBinding => {
        const made = change(present);
        refuseGroupsOfOthers(request.admission(), made, index);
        return made;
      };
      return collection.write(namespace, key, guardedChange, actor, request);
    },
  };
}

/**
 * Rejects a binding of a group whose name grants rights in all namespaces, because the binding would remove these
 * rights. Only an administrator of all namespaces may create such a binding.
 */
function refuseGroupsOfOthers(principal: Principal, binding: RoleBinding, index: RoleIndex): void {
  const groups = namedGroups(binding).filter((group) => !index.isBound(group));
  if (groups.length === 0 || (hasScope(principal, 'admin') && principal.namespace === undefined)) return;
  throw new MonError(
    'forbidden',
    `${groups.join(', ')}: this group has rights in all namespaces because of its name, and a binding would remove these rights: ask an administrator of all namespaces, or bind users or another group`,
  );
}

/**
 * Returns a collection that also contains the built-in roles or bindings, which are not stored. It rejects changes that
 * grant more rights than the requester has, and shows cluster-wide objects without a namespace.
 */
function addBuiltInRoles<T extends Role | RoleBinding, S extends object>(
  { registry, escalation }: RoleDependencies,
  kind: RoleKind,
  collection: Collection<T, S>,
): Collection<T, S> {
  const { keyOf } = METADATA_ACCESSORS;
  const isClusterWide = kind.startsWith('cluster');
  const stored = (namespace: string): readonly T[] =>
    [...registry.definitions.inNamespace(kind, namespace).values()].map(({ object }) => object as T);
  return {
    ...collection,
    isClusterWide,
    write: (namespace, key, change, actor, request) => {
      const [name = ''] = key;
      const guarded = (present: T | undefined): T => {
        const object = change(present);
        escalation.refuseRole(request.admission(), { kind, namespace, name, object }, present);
        return object;
      };
      return collection.write(namespace, key, guarded, actor, request);
    },
    remove: (namespace, key, check, actor, request) => {
      const [name = ''] = key;
      const guarded = (present: T): void => {
        check(present);
        escalation.refuseRole(request.admission(), { kind, namespace, name, object: undefined }, present);
      };
      return collection.remove(namespace, key, guarded, actor, request);
    },
    show: (object) => (isClusterWide ? withoutNamespace(object) : object),
    list: (namespace, after) => {
      const own = stored(namespace);
      const names = new Set(own.map(({ metadata }) => metadata.name));
      const others = builtInsOf(kind, namespace).filter(({ metadata }) => !names.has(metadata.name)) as readonly T[];
      return [objectsAfterKey([...own, ...others], after, keyOf)];
    },
    get: (namespace, [name = '']) =>
      (registry.definitions.get(kind, namespace, name)?.object ?? findBuiltIn(kind, namespace, name)) as T | undefined,
  };
}

function withoutNamespace<T extends Role | RoleBinding>(object: T): T {
  const { namespace: _namespace, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as T;
}

/**
 * Returns a warning if the binding names groups whose names granted rights until now: with a binding, the name grants
 * none.
 */
function warningsOfBinding(binding: RoleBinding): readonly string[] {
  const { namespace } = binding.metadata;
  const groups = namedGroups(binding);
  if (groups.length === 0) return [];
  const names = groups.join(', ');
  const where = namespace === CLUSTER_NAMESPACE ? 'anywhere' : `outside of ${namespace}`;
  return [
    `${names}: from now on only bindings grant rights to this group, not its name: also bind it to roles for what else it needs ${where}`,
  ];
}
