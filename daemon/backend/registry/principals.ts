import { commonScopes, scopesOfGroups } from '../../../shared/domain/core/groups.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';
import type { CredentialRegistry } from './credentials.ts';

const ALL: ReadonlySet<Scope> = new Set(SCOPES);

/**
 * What a user may do by now.
 *
 * @param configuredUser the one of `api.user`, who may do everything
 * @returns undefined for nobody: there is no such user, or it is disabled
 */
export function scopesOfUser(
  credentials: CredentialRegistry,
  configuredUser: string | undefined,
  username: string,
): ReadonlySet<Scope> | undefined {
  if (username === configuredUser) return ALL;
  const user = credentials.users.get(username);
  return user === undefined || user.disabled ? undefined : scopesOfGroups(user.groups);
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
export function hasAdministrator(credentials: Pick<CredentialRegistry, 'users'>): boolean {
  for (const user of credentials.users.values()) {
    if (!user.disabled && scopesOfGroups(user.groups).has('admin')) return true;
  }
  return false;
}
