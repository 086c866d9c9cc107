import type { Transaction } from '../commit/transaction.ts';
import type { ApiKey, User } from './credentials.ts';
import { API_KEYS, USERS } from './table.ts';

/** In place of the one with this name, who may have been allowed more. */
export function saveUser(transaction: Transaction, user: User): void {
  const { credentials } = transaction.registry;
  transaction.put(USERS, credentials, user.username, user);
  credentials.version++;
}

/** In place of the one with this id, with which more may have been allowed. */
export function saveApiKey(transaction: Transaction, key: ApiKey): void {
  const { credentials } = transaction.registry;
  transaction.put(API_KEYS, credentials, key.id, key);
  credentials.version++;
}
