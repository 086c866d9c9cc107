import { isDeepStrictEqual } from 'node:util';
import { REPLACEABLE_ROLES } from '../../../shared/domain/v2/built-in-roles.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Role, RoleBinding } from '../../../shared/schemas/v2/role.ts';
import type { CredentialRegistry } from '../model/access/credentials.ts';
import { hasAdministrator } from './scopes-of-user.ts';
import { findBuiltIn, type RoleChange } from '../model/access/roles.ts';

/**
 * Rejects changes of roles and bindings that nobody may make: changes of built-in objects, and the removal of the last
 * administrator.
 */
export class RoleGuard {
  readonly #isAdminConfigured: () => boolean;

  /**
   * @param isAdminConfigured callback that returns true if the settings name an administrator, so that a lock-out is
   *   impossible
   */
  constructor(isAdminConfigured: () => boolean) {
    this.#isAdminConfigured = isAdminConfigured;
  }

  /**
   * @throws MonError `conflict` if the change modifies or removes a built-in role or binding, or if no administrator
   *   would remain
   */
  refuse(change: RoleChange, credentials: Pick<CredentialRegistry, 'users' | 'roles'>): void {
    refuseFixed(change);
    const { users, roles } = credentials;
    if (this.#isAdminConfigured() || !hasAdministrator(users, roles.index)) return;
    if (hasAdministrator(users, roles.indexWith(change))) return;
    throw new MonError(
      'conflict',
      'the backend would have no administrator: bind another user or group to the cluster role cluster-admin first',
    );
  }
}

/** True if the role or binding is built in and cannot be changed, so that it is never stored. */
export function isFixedRole({ kind, namespace, name }: Pick<RoleChange, 'kind' | 'namespace' | 'name'>): boolean {
  return findBuiltIn(kind, namespace, name) !== undefined && !REPLACEABLE_ROLES.has(name);
}

function refuseFixed(change: RoleChange): void {
  if (!isFixedRole(change)) return;
  const { kind, namespace, name, object } = change;
  const own = findBuiltIn(kind, namespace, name);
  if (object !== undefined && own !== undefined && isDeepStrictEqual(meaningOf(object), meaningOf(own))) return;
  throw new MonError('conflict', `${name} is built in and cannot be changed: create one with another name`);
}

function meaningOf(object: Role | RoleBinding): unknown {
  return 'rules' in object ? object.rules : { subjects: object.subjects, role_ref: object.role_ref };
}
