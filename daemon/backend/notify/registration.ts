import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import {
  REGISTRATION,
  registrationCheck,
  registrationState,
  wantsRegistration,
} from '../../../shared/domain/registration.ts';
import type { ClientEntry } from '../registry/namespace.ts';
import { handleEvent } from './pipeline.ts';
import type { Transaction } from '../commit/transaction.ts';
import { CLIENTS } from '../clients/table.ts';

/**
 * Notifies handlers of a client that is seen for the first time, if the client has the attribute `registration` or a
 * handler of that name is defined. The event is never stored.
 */
export function handleRegistration(transaction: Transaction, client: ClientEntry): void {
  const definitions = transaction.handling.definitions.in(client.namespace.name);
  const record = transaction.body(CLIENTS, client);
  if (!wantsRegistration(record) && !definitions.hasHandler(REGISTRATION)) return;
  const check = registrationCheck(record, transaction.now);
  const state = registrationState(transaction.newId(), check, transaction.now);
  handleEvent(transaction, { client, check, state, history: EMPTY_HISTORY });
}
