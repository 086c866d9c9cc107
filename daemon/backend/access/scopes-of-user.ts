import { PERMANENT_GROUPS } from '../../../shared/domain/v2/built-in-roles.ts';
import { commonScopes, scopesOfGroups } from '../../../shared/domain/v2/groups.ts';
import type { Rights } from '../../../shared/domain/v2/escalation.ts';
import { scopesOfGrants, type Grant, type RoleIndex } from '../../../shared/domain/v2/roles.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';
import type { CredentialRegistry, User } from './credentials.ts';

const ALL: ReadonlySet<Scope> = new Set(SCOPES);

/**
 * What a user may do by now: by the groups, whose names mean scopes unless a binding names them, and by roles over all
 * namespaces that allow everything that a scope does.
 *
 * @param configuredUser the one of `api.user`, who may do everything
 * @returns undefined for nobody: there is no such user, or it is disabled
 */
export function scopesOfUser(
  { users, roles }: Pick<CredentialRegistry, 'users' | 'roles'>,
  configuredUser: string | undefined,
  username: string,
): ReadonlySet<Scope> | undefined {
  if (username === configuredUser) return ALL;
  const user = users.get(username);
  return user === undefined || user.disabled ? undefined : scopesBy(user, roles.index);
}

/** What roles allow a user; nothing where there is no such user, or one that is disabled, or the one of `api.user`. */
export function grantsOfUser(
  { users, roles }: Pick<CredentialRegistry, 'users' | 'roles'>,
  username: string,
): readonly Grant[] {
  const user = users.get(username);
  return user === undefined || user.disabled ? [] : roles.index.grantsOf(username, user.groups);
}

/** The rights of a user while enabled: by groups, and by roles. */
export function rightsOfUser(user: User, index: RoleIndex): Rights {
  return { scopes: scopesBy(user, index), grants: index.grantsOf(user.username, user.groups) };
}

/** What a key allows, which is never more than its user may do by now; undefined: it is revoked, or of nobody. */
export function scopesOfKey(
  credentials: CredentialRegistry,
  configuredUser: string | undefined,
  id: string,
): ReadonlySet<Scope> | undefined {
  const key = credentials.apiKeys.get(id);
  if (key === undefined) return undefined;
  const own = scopesOfUser(credentials, configuredUser, key.username);
  return own === undefined ? undefined : commonScopes(key.scopes, own);
}

/** Whether anybody who is stored can administer. */
export function hasAdministrator(users: ReadonlyMap<string, User>, index: RoleIndex): boolean {
  for (const user of users.values()) {
    if (!user.disabled && scopesBy(user, index).has('admin')) return true;
  }
  return false;
}

function scopesBy({ username, groups }: User, index: RoleIndex): ReadonlySet<Scope> {
  const named = scopesOfGroups(groups.filter((group) => PERMANENT_GROUPS.has(group) || !index.isBound(group)));
  return new Set([...named, ...scopesOfGrants(index.grantsOf(username, groups))]);
}
