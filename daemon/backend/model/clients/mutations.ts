import type { Client } from '../../../../shared/schemas/client.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { announceAttributeSets } from '../attributes/mutations.ts';
import type { SharedAttributes } from '../attributes/state.ts';
import { announceEvent, removeCheck } from '../events/mutations.ts';
import { eventsOf, type ClientEntry, type ClientOrigin, type Namespace } from '../registry/namespace.ts';
import { CLIENTS } from './storage.ts';

/** Maximum growth of a client record in a usual update, such as a new version or a few more subscriptions. */
const ORDINARY_GROWTH_BYTES = 4096;

/**
 * Creates or replaces a client, and announces it and its open events.
 *
 * @param origin data that is not in the record. An existing client keeps its reporter. It counts toward the entity
 *   limit as soon as `isCounted` was true once
 */
export function saveClient(
  transaction: Transaction,
  namespace: Namespace,
  client: Client,
  origin: ClientOrigin,
): ClientEntry {
  const present = namespace.clients.get(client.name);
  // Announces the open events of the client, because it depends on its subscriptions whether they are silenced.
  if (present !== undefined) for (const check of present.checks.values()) announceEvent(transaction, check);
  const sets = present === undefined ? [] : attributeSetsOf(present);
  const entry = namespace.putClient(client, origin);
  announceAttributeSets(transaction, namespace, sets, entry.attributes);
  transaction.writeRecord(CLIENTS, entry, client);
  transaction.addChange(['client', namespace.name, client.name]);
  return entry;
}

/** Returns the sets of attributes of a client and of its checks with an open event. */
function attributeSetsOf(client: ClientEntry): readonly (SharedAttributes | undefined)[] {
  return [client.attributes, ...Array.from(eventsOf(client), ({ attributes }) => attributes)];
}

/**
 * Removes a client with its results and events.
 *
 * @param by name of the user who requested the removal
 */
export function removeClient(transaction: Transaction, entry: ClientEntry, by: string): void {
  for (const check of entry.checks.values()) removeCheck(transaction, check, by);
  const { attributes } = entry;
  entry.namespace.removeClient(entry);
  announceAttributeSets(transaction, entry.namespace, [attributes]);
  transaction.deleteRecord(CLIENTS, entry);
  transaction.addChange(['client', entry.namespace.name, entry.name]);
}

/**
 * Rejects a new record of an existing client if memory is full and the record grows by more than a usual update.
 *
 * @throws MonError `no_memory` if the record is rejected
 */
export function refuseGrowthOf({ memory }: Transaction, present: ClientEntry | undefined, client: Client): void {
  if (present === undefined || !memory.isFull) return;
  if (present.namespace.growthOf(client, present) > ORDINARY_GROWTH_BYTES) memory.refuseGrowth();
}
