import { GROUP_SCOPES } from '../../../shared/domain/v2/groups.ts';
import { lostAttributes } from '../../../shared/domain/v2/import-losses.ts';
import { unwrapObject, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { isSensuGoApiKey, restoredApiKeySchema } from '../../../shared/schemas/v2/api-key.ts';
import { submittedUserSchema } from '../../../shared/schemas/v2/user.ts';
import { exactUserSchema } from '../../../shared/schemas/exact-state.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { restoreKey, type RestoreResult } from '../../../shared/schemas/restore.ts';
import { SCOPES } from '../../../shared/schemas/scope.ts';
import { hashSensuGoKey } from '../access/key-secret.ts';
import type { ApiKey, User } from '../model/access/credentials.ts';
import { allRolesOf } from '../access/api-keys.ts';
import { hasAdministrator, scopesOfUser } from '../access/scopes-of-user.ts';
import { exactCopyOf, skippedResult, restoreState, omitExactState, type RestoreContext } from './restore-context.ts';
import { saveApiKey, saveUser } from '../model/access/mutations.ts';

export function restoreUser(context: RestoreContext, object: WrappedObject): RestoreResult {
  const parsed = submittedUserSchema.safeParse(omitExactState(object.spec));
  if (!parsed.success) return skippedResult(problemsOf(parsed.error));
  const { username, groups, disabled, password_hash: hash } = parsed.data;
  if (!hash)
    return skippedResult(
      `the file contains no hash of the password: create the user with monctl user create ${username}`,
    );
  const { transaction } = context;
  const { credentials } = transaction.registry;
  const before = credentials.users.get(username);
  const exact = exactCopyOf(exactUserSchema, object);
  const changedMs = before?.passwordHash === hash ? before.passwordChangedMs : transaction.nowMs;
  const after: User = {
    username,
    groups: [...new Set(groups)],
    disabled: disabled ?? false,
    passwordHash: hash,
    passwordChangedMs: exact?.password_changed_ms ?? changedMs,
  };
  const { index } = credentials.roles;
  const users = new Map(credentials.users).set(username, after);
  const isAdministered = context.configuredUser !== undefined || hasAdministrator(users, index);
  if (hasAdministrator(credentials.users, index) && !isAdministered) {
    return skippedResult('the backend would have no administrator: create another administrator first');
  }
  const idle = after.groups.filter((group) => !Object.hasOwn(GROUP_SCOPES, group) && !index.isBound(group));
  const reason = 'groups of this name have no rights until a role binding contains them';
  return restoreState(
    context,
    { before, after },
    () => saveUser(transaction, after),
    idle.map((group) => ({ attribute: `groups.${group}`, reason })),
  );
}

export function restoreApiKey(context: RestoreContext, submitted: WrappedObject): RestoreResult {
  const object = hashApiKey(context, submitted);
  const { spec } = object;
  if (typeof spec['hash'] !== 'string') {
    const user = typeof spec['username'] === 'string' ? spec['username'] : 'USER';
    return skippedResult(`the file contains no hash of the key: create another one with monctl api-key create ${user}`);
  }
  const parsed = restoredApiKeySchema.safeParse(unwrapObject(object));
  if (!parsed.success) return skippedResult(problemsOf(parsed.error));
  const { transaction, configuredUser } = context;
  const { credentials } = transaction.registry;
  const { metadata, username, scopes, all_roles: allRoles, namespace, description, hash, ...times } = parsed.data;
  const own = scopesOfUser(credentials, configuredUser, username);
  const isAssumed = context.assumed.has(restoreKey('User', '', username));
  if (own === undefined && !credentials.users.has(username) && !isAssumed) {
    return skippedResult(`there is no user ${username}: restore the users too`);
  }
  const before = credentials.apiKeys.get(metadata.name);
  const after: ApiKey = {
    id: metadata.name,
    username,
    description: description ?? null,
    scopes: SCOPES.filter((scope) => (scopes ?? [...(own ?? [])]).includes(scope)),
    ...allRolesOf({ scopes, all_roles: allRoles }),
    namespace: namespace ?? null,
    expiresAt: times.expires_at ?? 0,
    createdBy: metadata.created_by ?? username,
    createdAt: times.created_at ?? transaction.now,
    // Keep the later time of use: otherwise the API key of this request, which was used just now, would differ from the
    // dump.
    lastUsed: latestTime(times.last_used ?? null, before?.lastUsed ?? null),
    hash,
  };
  return restoreState(
    context,
    { before, after },
    () => saveApiKey(transaction, after),
    lostAttributes(spec, parsed.data),
  );
}

/**
 * Converts an API key of Sensu Go to an API key of mon. In Sensu Go the name of the object is the key itself; mon
 * stores only its hash.
 */
function hashApiKey({ transaction }: RestoreContext, object: WrappedObject): WrappedObject {
  const { metadata, spec } = object;
  const { name } = metadata;
  if (typeof name !== 'string' || !isSensuGoApiKey(name)) return object;
  const { apiKeys } = transaction.registry.credentials;
  const { id, hash } = hashSensuGoKey(name, (keyId) => apiKeys.get(keyId)?.hash);
  return { ...object, metadata: { ...metadata, name: id }, spec: { ...spec, hash } };
}

function latestTime(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
