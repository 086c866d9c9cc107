import { reminderEvent } from '../../../shared/domain/silence-reminder.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Transaction } from '../commit/transaction.ts';
import type { Namespace } from '../registry/namespace.ts';
import { handleNotice } from './pipeline.ts';

/**
 * Notifies a handler that a silence is about to expire, in the commit that records the reminder. The event is never
 * stored.
 */
export function handleReminder(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  handler: string,
): void {
  handleNotice(
    transaction,
    namespace,
    reminderEvent(entry, { id: transaction.newId(), now: transaction.now, handler }),
  );
}
