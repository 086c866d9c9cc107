import { MonError } from '../../../shared/errors.ts';
import type { Transaction } from './transaction.ts';

/**
 * Objects are made in namespaces that were declared; it is asked within the transaction, so that none is removed meanwhile.
 *
 * @throws MonError `not_found`
 */
export function refuseUnknownNamespace({ registry }: Pick<Transaction, 'registry'>, namespace: string): void {
  if (registry.hasNamespace(namespace)) return;
  throw new MonError('not_found', `the namespace ${namespace} does not exist: create it first`);
}

/** In the words of the peer, which clients look for (clients, section 6). */
export const ALREADY_THERE = 'resource already exists';
