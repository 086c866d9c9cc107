import { isExpired } from '../../../shared/domain/expiry.ts';
import type { FeedTopic } from '../../../shared/schemas/feed-request.ts';
import {
  eventKey,
  type ClientRow,
  type EventRow,
  type SilencedRow,
  type UpgradeRow,
} from '../../../shared/schemas/feed.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { PlanRegistry } from '../plans/state.ts';
import { clientRow, eventRow, silencedRow, upgradeRow } from './rows.ts';

/** A row of one topic under its key. */
export type KeyedRow =
  | readonly ['events', key: string, row: EventRow]
  | readonly ['silenced', key: string, row: SilencedRow]
  | readonly ['clients', key: string, row: ClientRow]
  | readonly ['upgrades', key: string, row: UpgradeRow];

/**
 * All rows of a namespace, each as it is when it is asked for. The state may change on the way: what comes, goes or
 * changes meanwhile is for the changes to tell.
 */
export function* snapshotRows(
  { namespace, runbooks }: { readonly namespace: Namespace; readonly runbooks: PlanRegistry },
  topics: readonly FeedTopic[],
  now: () => number,
): Generator<KeyedRow, void, undefined> {
  if (topics.includes('silenced')) {
    for (const entry of namespace.silenced.all()) {
      if (!isExpired(entry, now())) yield ['silenced', entry.id, silencedRow(entry)];
    }
  }
  if (topics.includes('upgrades')) {
    for (const { runbook } of runbooks.all()) yield ['upgrades', String(runbook.id), upgradeRow(runbook)];
  }
  if (topics.includes('clients')) {
    for (const client of namespace.sortedClients()) {
      if (namespace.clients.get(client.name) === client) yield ['clients', client.name, clientRow(client)];
    }
  }
  if (topics.includes('events')) {
    for (const entry of namespace.events()) {
      const row = eventRow(entry, now());
      if (row !== null) yield ['events', eventKey(entry.client.name, entry.name), row];
    }
  }
}
