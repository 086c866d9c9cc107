import type { Namespace } from '../registry/namespace.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { SharedAttributes } from './state.ts';

/**
 * Announces the sets of attributes that a change has created or removed.
 *
 * @param before the sets of the changed clients and checks before the change
 * @param after the set after the change
 */
export function announceAttributeSets(
  transaction: Transaction,
  { name, attributeSets }: Namespace,
  before: readonly (SharedAttributes | undefined)[],
  after?: SharedAttributes,
): void {
  for (const shared of before) {
    if (shared !== undefined && attributeSets.get(shared.set.id) === undefined)
      transaction.addChange(['attributes', name, shared.set.id]);
  }
  if (after?.uses === 1 && !before.includes(after)) transaction.addChange(['attributes', name, after.set.id]);
}
