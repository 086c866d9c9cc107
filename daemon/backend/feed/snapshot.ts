import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedRow } from '../../../shared/domain/silencing.ts';
import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import { eventKey } from '../../../shared/schemas/feed.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { ChangedRow } from './row-selection.ts';
import { clientRow, eventRow, rowsAt, upgradeRow, type ShownState } from './rows.ts';

/**
 * All rows of the namespaces, each as it is when it is asked for. The state may change on the way: what comes, goes or
 * changes meanwhile is for the changes to tell.
 */
export function* snapshotRows(
  { registry, reach }: ShownState,
  topics: readonly FeedTopic[],
  now: () => number,
): Generator<ChangedRow, void, undefined> {
  const namespaces = reach.namespaces(registry);
  if (topics.includes('silenced')) {
    for (const namespace of namespaces) yield* rowsAt(silencedOf(namespace, now), namespace.name, reach);
  }
  if (topics.includes('upgrades') && reach.seesPlans) {
    for (const { runbook } of registry.plans.all()) yield ['upgrades', String(runbook.id), upgradeRow(runbook)];
  }
  if (topics.includes('clients')) {
    for (const namespace of namespaces) yield* rowsAt(clientsOf(namespace), namespace.name, reach);
  }
  if (topics.includes('events')) {
    for (const namespace of namespaces) yield* rowsAt(eventsOf(namespace, now), namespace.name, reach);
  }
}

function* silencedOf(namespace: Namespace, now: () => number): Generator<ChangedRow, void, undefined> {
  for (const entry of namespace.silenced.all()) {
    if (!isExpired(entry, now())) yield ['silenced', entry.id, silencedRow(entry)];
  }
}

function* clientsOf(namespace: Namespace): Generator<ChangedRow, void, undefined> {
  for (const client of namespace.sortedClients()) {
    if (namespace.clients.get(client.name) === client) yield ['clients', client.name, clientRow(client)];
  }
}

function* eventsOf(namespace: Namespace, now: () => number): Generator<ChangedRow, void, undefined> {
  for (const entry of namespace.events()) {
    const row = eventRow(entry, now());
    if (row !== null) yield ['events', eventKey(entry.client.name, entry.name), row];
  }
}
