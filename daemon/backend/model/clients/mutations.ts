import type { Client } from '../../../../shared/schemas/client.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { noteEvent, removeCheck } from '../events/mutations.ts';
import type { ClientEntry, ClientOrigin, Namespace } from '../registry/namespace.ts';
import { CLIENTS } from './storage.ts';

/** The growth of a normal update, such as another version or a few more subscriptions. */
const ORDINARY_GROWTH_BYTES = 4096;

/** @param origin of a new client; a known client keeps its own, but is counted once a counted source reports it */
export function saveClient(
  transaction: Transaction,
  namespace: Namespace,
  client: Client,
  origin: ClientOrigin,
): ClientEntry {
  const present = namespace.clients.get(client.name);
  // The silenced state of its events depends on its subscriptions.
  if (present !== undefined) for (const check of present.checks.values()) noteEvent(transaction, check);
  const entry = namespace.putClient(client, origin);
  transaction.keep(CLIENTS, entry, client);
  transaction.note(['client', namespace.name, client.name]);
  return entry;
}

/** @param by name of the user who requested it */
export function removeClient(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of entry.checks.values()) removeCheck(transaction, check, by);
  entry.namespace.removeClient(entry);
  transaction.forget(CLIENTS, entry);
  transaction.note(['client', entry.namespace.name, entry.name]);
}

/**
 * Rejects the replacement of a client that grows beyond the normal while memory is full.
 *
 * @throws MonError `no_memory`
 */
export function refuseGrowthOf({ memory }: Transaction, present: ClientEntry | undefined, client: Client): void {
  if (present === undefined || !memory.isFull) return;
  if (present.namespace.growthOf(client, present) > ORDINARY_GROWTH_BYTES) memory.refuseGrowth();
}
