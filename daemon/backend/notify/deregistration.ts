import { deregistrationCheck } from '../../../shared/domain/deregistration.ts';
import { pastlessState } from '../../../shared/domain/event.ts';
import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import type { ClientEntry } from '../registry/namespace.ts';
import { handleEvent } from './pipeline.ts';
import type { Transaction } from '../commit/transaction.ts';
import { CLIENTS } from '../clients/table.ts';

/** Notifies handlers that a client is being deregistered, while it is still there. The event is never stored. */
export function handleDeregistration(transaction: Transaction, client: ClientEntry): void {
  const check = deregistrationCheck(transaction.body(CLIENTS, client)['deregistration'], transaction.now);
  const state = pastlessState(transaction.newId(), check, transaction.now);
  handleEvent(transaction, { client, check, state, history: EMPTY_HISTORY });
}
