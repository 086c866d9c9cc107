import { PERMANENT_GROUPS } from '../../../shared/domain/v2/built-in-roles.ts';
import { commonScopes, scopesOfGroups } from '../../../shared/domain/v2/groups.ts';
import type { RightsSet } from '../../../shared/domain/v2/escalation.ts';
import { scopesOfGrants, type Grant, type RoleIndex } from '../../../shared/domain/v2/roles.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';
import type { CredentialRegistry, User } from '../model/access/credentials.ts';

const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/**
 * Returns the current scopes of a user. The name of a group grants scopes until a binding names the group; the names of
 * permanent groups always do. Roles in all namespaces grant a scope if they together allow everything that the scope
 * allows.
 *
 * @param configuredUser user of the setting `api.user`, who has all rights
 * @returns the scopes; undefined if there is no such user, or if the user is disabled
 */
export function scopesOfUser(
  { users, roles }: Pick<CredentialRegistry, 'users' | 'roles'>,
  configuredUser: string | undefined,
  username: string,
): ReadonlySet<Scope> | undefined {
  if (username === configuredUser) return ALL_SCOPES;
  const user = users.get(username);
  return user === undefined || user.disabled ? undefined : effectiveScopesOf(user, roles.index);
}

/** Returns the rights that roles grant to a stored user; empty if the user is unknown or disabled. */
export function grantsOfUser(
  { users, roles }: Pick<CredentialRegistry, 'users' | 'roles'>,
  username: string,
): readonly Grant[] {
  const user = users.get(username);
  return user === undefined || user.disabled ? [] : roles.index.grantsOf(username, user.groups);
}

/** Returns the rights of a user by groups and by roles, even if the user is disabled. */
export function rightsOfUser(user: User, index: RoleIndex): RightsSet {
  return { scopes: effectiveScopesOf(user, index), grants: index.grantsOf(user.username, user.groups) };
}

/**
 * Returns the current scopes of an API key, which never exceed the scopes of its user; undefined if the key does not
 * exist, or if its user does not exist or is disabled.
 */
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

/**
 * True if at least one stored user is enabled and has the scope `admin`. Users of an identity provider do not count,
 * because the provider can be away or remove their groups.
 */
export function hasAdministrator(users: ReadonlyMap<string, User>, index: RoleIndex): boolean {
  for (const user of users.values()) {
    if (!user.disabled && user.account === undefined && effectiveScopesOf(user, index).has('admin')) return true;
  }
  return false;
}

function effectiveScopesOf({ username, groups }: User, index: RoleIndex): ReadonlySet<Scope> {
  const named = scopesOfGroups(groups.filter((group) => PERMANENT_GROUPS.has(group) || !index.isBound(group)));
  return new Set([...named, ...scopesOfGrants(index.grantsOf(username, groups))]);
}
