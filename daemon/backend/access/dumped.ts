import type { ApiKey, User } from './credentials.ts';
import { type Wrapped, wrappedOf } from '../../../shared/domain/v2/wrapped.ts';

export function dumpedUser({ username, groups, disabled, passwordHash, passwordChangedMs }: User): Wrapped {
  return wrappedOf(
    'User',
    {},
    { username, groups, disabled, password_hash: passwordHash, mon: { password_changed_ms: passwordChangedMs } },
  );
}

export function dumpedApiKey(key: ApiKey): Wrapped {
  return wrappedOf(
    'APIKey',
    { name: key.id, created_by: key.createdBy },
    {
      username: key.username,
      description: key.description,
      scopes: key.scopes,
      all_roles: key.hasAllRoles === true,
      namespace: key.namespace,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      last_used: key.lastUsed,
      hash: key.hash,
    },
  );
}
