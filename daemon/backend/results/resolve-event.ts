import { resolvingResult } from '../../../shared/domain/result.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { processResult } from './process-result.ts';
import type { Transaction } from '../model/transaction/transaction.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';

/**
 * Resolves the open event of `entry`. The stored record of the entry must have been read for this command.
 *
 * @param by name of the user who resolves the event
 */
export function resolveEvent(transaction: Transaction, entry: CheckEntry, by: string): void {
  const { client, state } = entry;
  const { check, eventCheck } = transaction.body(CHECK_RECORDS, entry);
  const body = eventCheck ?? check;
  if (state.event === undefined || body === null) {
    throw new Error(`internal error: ${client.name}/${entry.name} has no event to resolve`);
  }
  processResult(transaction, client.namespace, {
    client: client.name,
    reporter: client.name,
    by,
    check: resolvingResult(body, client.name, state.event.totalStateChange, transaction.now),
  });
}
