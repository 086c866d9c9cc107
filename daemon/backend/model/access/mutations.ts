import type { Transaction } from '../transaction/transaction.ts';
import type { ApiKey, User } from './credentials.ts';
import { API_KEYS, SESSIONS, USERS } from './storage.ts';

/**
 * Creates or replaces a user. If the password is new or the user is disabled, all its sessions end in the same commit.
 * Enabling the user again does not revive them.
 */
export function saveUser(transaction: Transaction, user: Omit<User, 'credentialChanges'>): void {
  const { credentials } = transaction.registry;
  const before = credentials.users.get(user.username);
  const credentialChanges = before?.credentialChanges;
  const isEnded = before !== undefined && hasEnded(before, user);
  transaction.put(USERS, credentials, user.username, {
    ...user,
    ...(credentialChanges !== undefined && { credentialChanges }),
  });
  credentials.version++;
  if (isEnded) endSessions(transaction, user.username);
}

/**
 * Ends all sessions of a user. If the user is stored, its connections that were opened with the password are closed
 * too.
 *
 * @returns the number of ended sessions
 */
export function endSessions(transaction: Transaction, username: string): number {
  const { credentials } = transaction.registry;
  const sessions = credentials.sessionsOf(username);
  for (const { id } of sessions) transaction.remove(SESSIONS, credentials, id);
  const user = credentials.users.get(username);
  if (user !== undefined) {
    const credentialChanges = (user.credentialChanges ?? 0) + 1;
    transaction.put(USERS, credentials, username, { ...user, credentialChanges });
  }
  credentials.version++;
  return sessions.length;
}

/** Creates or replaces an API key. The version of the credentials increases, because the key possibly loses rights. */
export function saveApiKey(transaction: Transaction, key: ApiKey): void {
  const { credentials } = transaction.registry;
  transaction.put(API_KEYS, credentials, key.id, key);
  credentials.version++;
}

function hasEnded(before: User, after: Omit<User, 'credentialChanges'>): boolean {
  return (
    before.passwordHash !== after.passwordHash ||
    before.passwordChangedMs !== after.passwordChangedMs ||
    (after.disabled && !before.disabled)
  );
}
