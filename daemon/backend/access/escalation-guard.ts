import { PERMANENT_GROUPS } from '../../../shared/domain/v2/built-in-roles.ts';
import { hasAllRights, missingRights, type OwnRights, type RightsSet } from '../../../shared/domain/v2/escalation.ts';
import { GROUP_SCOPES, scopesOfGroups } from '../../../shared/domain/v2/groups.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Role, RoleBinding } from '../../../shared/schemas/v2/role.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';
import type { CredentialRegistry, User } from '../model/access/credentials.ts';
import type { Principal } from './principal.ts';
import { findBuiltIn, type RoleChange } from '../model/access/roles.ts';
import { rightsOfUser } from './scopes-of-user.ts';

/** The stored users, roles and definitions against which a change is checked. */
interface GuardedRegistry {
  readonly credentials: CredentialRegistry;
  readonly definitions: StoredDefinitions;
}

/**
 * Rejects changes of users, roles and bindings that grant rights which the requester does not have. Otherwise someone
 * who may change only users or roles could become a full administrator. Call it in the transaction of the change.
 */
export class EscalationGuard {
  readonly #registry: GuardedRegistry;

  constructor(registry: GuardedRegistry) {
    this.#registry = registry;
  }

  /**
   * Rejects a change of a user that grants rights which the requester lacks.
   *
   * @param before the stored user; undefined if the user is new
   * @throws MonError `forbidden`
   */
  refuseUser(principal: Principal, before: User | undefined, after: User): void {
    const { index } = this.#registry.credentials.roles;
    // A requester who sets a user's password or enables the user can act as that user, so all rights of the user are
    // checked.
    const isTaken =
      before === undefined ||
      before.passwordHash !== after.passwordHash ||
      before.passwordChangedMs !== after.passwordChangedMs ||
      (before.disabled && !after.disabled);
    const present = isTaken ? undefined : rightsOfUser(before, index);
    refuseMissingRights(principal, `the user ${after.username}`, rightsOfUser(after, index), present);
  }

  /**
   * Rejects a change of a role or binding that grants rights which the requester lacks.
   *
   * @param present the stored role or binding; undefined if there is none
   * @throws MonError `forbidden`
   */
  refuseRole(principal: Principal, change: RoleChange, present: Role | RoleBinding | undefined): void {
    if (hasAllRights(ownRights(principal))) return;
    const { kind, namespace, name, object = findBuiltIn(kind, namespace, name) } = change;
    const what = `${isBinding(kind) ? 'the binding' : 'the role'} ${name}`;
    if (object !== undefined) refuseMissingRights(principal, what, this.#rightsBy(object, kind, namespace));
    if (present === undefined || !isBinding(kind)) return;
    const after = this.#registry.credentials.roles.indexWith(change);
    const groups = namedGroups(present as RoleBinding).filter((group) => !after.isBound(group));
    refuseMissingRights(principal, `${what}, which lets the names of groups grant rights again`, rightsByName(groups));
  }

  /**
   * Rejects the removal of a namespace with bindings of groups if the requester lacks the default rights of these
   * groups. Without the bindings, the names of the groups would grant these rights again.
   *
   * @throws MonError `forbidden`
   */
  refuseNamespaceRemoval(principal: Principal, namespace: string): void {
    const bindings = [...this.#registry.definitions.inNamespace('rolebindings', namespace).values()];
    const groups = bindings.flatMap(({ object }) => namedGroups(object));
    refuseMissingRights(
      principal,
      `the removal of ${namespace}, which lets the names of groups grant rights again`,
      rightsByName(groups),
    );
  }

  #rightsBy(object: Role | RoleBinding, kind: RoleChange['kind'], objectNamespace: string): RightsSet {
    const namespace = kind.startsWith('cluster') ? undefined : objectNamespace;
    // The kind decides whether the object is a role or a binding, because a body may contain attributes of both.
    if (!isBinding(kind)) return { scopes: new Set(), grants: [{ namespace, rules: (object as Role).rules }] };
    const { type, name } = (object as RoleBinding).role_ref;
    if (type === 'Role' && namespace === undefined) return NO_RIGHTS;
    const [roleKind, roleNamespace] =
      type === 'Role' ? (['roles', objectNamespace] as const) : (['clusterroles', ''] as const);
    const role = (this.#registry.definitions.get(roleKind, roleNamespace, name)?.object ??
      findBuiltIn(roleKind, roleNamespace, name)) as Role | undefined;
    // The rights of a missing role cannot be checked: the binding would get them when another user creates the role.
    if (role === undefined) {
      throw new MonError(
        'forbidden',
        `the ${type} ${name} does not exist, so it cannot be bound: create it first, or ask an administrator`,
      );
    }
    return { scopes: new Set(), grants: [{ namespace, rules: role.rules }] };
  }
}

function isBinding(kind: RoleChange['kind']): boolean {
  return kind === 'rolebindings' || kind === 'clusterrolebindings';
}

const NO_RIGHTS: RightsSet = { scopes: new Set(), grants: [] };

/**
 * Returns the rights that allow a principal to change users and roles. For an API key with limited scopes they contain
 * the rights of roles only if the key has the scope `admin`.
 */
function ownRights({ scopes, grants = [], grantLimits, namespace }: Principal): OwnRights {
  return { scopes, grants: grantLimits === undefined || grantLimits.has('admin') ? grants : [], namespace };
}

function refuseMissingRights(principal: Principal, what: string, rights: RightsSet, present?: RightsSet): void {
  const missing = missingRights(ownRights(principal), rights, present);
  if (missing.length === 0) return;
  throw new MonError(
    'forbidden',
    `${what} would have more rights than ${principal.name}, who lacks ${missing.join(', ')}: ask an administrator`,
  );
}

function rightsByName(groups: readonly string[]): RightsSet {
  return { scopes: scopesOfGroups(groups), grants: [] };
}

/** Returns those groups in a binding whose names alone grant scopes as long as no binding names the group. */
export function namedGroups({ subjects }: RoleBinding): readonly string[] {
  const groups = subjects.filter(({ type }) => type === 'Group').map(({ name }) => name);
  return groups.filter((group) => Object.hasOwn(GROUP_SCOPES, group) && !PERMANENT_GROUPS.has(group));
}
