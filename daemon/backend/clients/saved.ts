import type { Client } from '../../../shared/schemas/client.ts';
import type { Transaction } from '../commit/transaction.ts';
import { noteEvent, removeCheck } from '../events/saved.ts';
import type { ClientEntry, ClientOrigin, Namespace } from '../registry/namespace.ts';
import { CLIENTS } from './table.ts';

/** Another version, or a few more subscriptions. */
const ORDINARY_GROWTH_BYTES = 4096;

/** @param origin of a new client; one that is known keeps its own, but is counted from when something counted it */
export function saveClient(
  transaction: Transaction,
  namespace: Namespace,
  client: Client,
  origin: ClientOrigin,
): ClientEntry {
  const present = namespace.clients.get(client.name);
  // The silenced state of its events follows its subscriptions.
  if (present !== undefined) for (const check of present.checks.values()) noteEvent(transaction, check);
  const entry = namespace.putClient(client, origin);
  transaction.keep(CLIENTS, entry, client);
  transaction.note(['client', namespace.name, client.name]);
  return entry;
}

/** @param by who asked for it */
export function removeClient(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of entry.checks.values()) removeCheck(transaction, check, by);
  entry.namespace.removeClient(entry);
  transaction.forget(CLIENTS, entry);
  transaction.note(['client', entry.namespace.name, entry.name]);
}

/**
 * Asked before a client is replaced: while there is no memory it may not grow beyond the ordinary.
 *
 * @throws MonError `no_memory`
 */
export function refuseGrowthOf({ memory }: Transaction, present: ClientEntry | undefined, client: Client): void {
  if (present === undefined || !memory.isFull) return;
  if (present.namespace.growthOf(client, present) > ORDINARY_GROWTH_BYTES) memory.refuseGrowth();
}
