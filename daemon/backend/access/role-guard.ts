import { isDeepStrictEqual } from 'node:util';
import { REPLACEABLE_ROLES } from '../../../shared/domain/v2/built-in-roles.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Role, RoleBinding } from '../../../shared/schemas/v2/role.ts';
import type { CredentialRegistry } from './credentials.ts';
import { hasAdministrator } from './scopes-of-user.ts';
import { builtIn, type RoleChange } from './roles.ts';

/** What no change of roles and bindings may do. */
export class RoleGuard {
  readonly #isAdminConfigured: () => boolean;

  /** @param isAdminConfigured whether the configuration names an administrator, so that nobody is locked out */
  constructor(isAdminConfigured: () => boolean) {
    this.#isAdminConfigured = isAdminConfigured;
  }

  /**
   * @throws MonError `conflict` for a built-in role or binding that says something else, or that is to go; and where nobody
   *   could administer afterwards
   */
  refuse(change: RoleChange, credentials: Pick<CredentialRegistry, 'users' | 'roles'>): void {
    refuseFixed(change);
    const { users, roles } = credentials;
    if (this.#isAdminConfigured() || !hasAdministrator(users, roles.index)) return;
    if (hasAdministrator(users, roles.after(change))) return;
    throw new MonError(
      'conflict',
      'the backend would have no administrator: bind another user or group to the cluster role cluster-admin first',
    );
  }
}

/** Whether it is there without being stored, and says what it must: then there is nothing to store. */
export function isFixed({ kind, namespace, name }: Pick<RoleChange, 'kind' | 'namespace' | 'name'>): boolean {
  return builtIn(kind, namespace, name) !== undefined && !REPLACEABLE_ROLES.has(name);
}

function refuseFixed(change: RoleChange): void {
  if (!isFixed(change)) return;
  const { kind, namespace, name, object } = change;
  const own = builtIn(kind, namespace, name);
  if (object !== undefined && own !== undefined && isDeepStrictEqual(meaningOf(object), meaningOf(own))) return;
  throw new MonError('conflict', `${name} is built in and cannot be changed: create one with another name`);
}

function meaningOf(object: Role | RoleBinding): unknown {
  return 'rules' in object ? object.rules : { subjects: object.subjects, role_ref: object.role_ref };
}
