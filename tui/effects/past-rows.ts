import { eventKey } from '../../shared/domain/event-key.ts';
import type { ClientRow, EventRow, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import type { PastChanges, PastClient, PastState } from '../../shared/schemas/timeline.ts';
import type { EventRecord } from '../model/event-record.ts';
import { placedRows } from './follow-all.ts';

type Named<Row> = readonly (readonly [key: string, row: Row | null])[];

/**
 * The lists of a moment as a feed has them.
 *
 * @param isPlaced whether they are of all namespaces, and say of which
 */
export function rowsOfPast(
  { events, silenced = [], clients = [] }: Pick<PastState, 'events' | 'silenced' | 'clients'>,
  isPlaced: boolean,
): FeedRows {
  return feedRows(
    { events: events.map(eventOf), silenced: silenced.map(silenceOf), clients: clients.map(clientOf) },
    isPlaced,
  );
}

/**
 * What is different at a moment as a feed tells it; silences are all of them, or not mentioned.
 *
 * @param before events that there were
 * @param isPlaced whether it is of all namespaces, and says of which
 */
export function rowsOfChanges(
  { events, removed, silenced, clients, removed_clients: removedClients }: PastChanges,
  before: Iterable<Pick<EventRecord, 'key' | 'row'>>,
  isPlaced: boolean,
): FeedRows {
  const rows = feedRows(
    {
      events: [
        ...removed.map(({ namespace, client, check }) => [placed(namespace, eventKey(client, check)), null] as const),
        ...events.map(eventOf),
      ],
      silenced: silenced?.map(silenceOf),
      clients: [
        ...removedClients.map(({ namespace, name }) => [placed(namespace, name), null] as const),
        ...clients.map(clientOf),
      ],
    },
    isPlaced,
  );
  if (silenced === undefined) return rows;
  // Of all that were silenced those that are not told are no longer.
  const told = rows.events ?? {};
  const loud: Record<string, EventRow> = {};
  for (const { key, row } of before) {
    if (row.silenced_by.length > 0 && !(key in told)) loud[key] = { ...row, silenced_by: [] };
  }
  return { ...rows, events: { ...loud, ...told } };
}

/** As `feedRows` takes it apart again. */
function placed(namespace: string | undefined, key: string): string {
  return namespace === undefined ? key : `${namespace}/${key}`;
}

function eventOf(row: PastState['events'][number]): readonly [string, EventRow] {
  return [placed(row.namespace, eventKey(row.client, row.check)), { ...row, silenced_by: [...row.silenced_by] }];
}

function silenceOf(row: NonNullable<PastState['silenced']>[number]): readonly [string, SilencedRow] {
  return [placed(row.namespace, row.id), row];
}

/** Its last sign of life is that of today, so that it can be told at each moment how long ago it was. */
function clientOf({
  events: _events,
  deleted: _deleted,
  last_seen: lastSeen,
  ...row
}: PastClient): readonly [string, ClientRow] {
  const subscriptions = [...row.subscriptions];
  return [placed(row.namespace, row.name), { ...row, timestamp: lastSeen ?? row.timestamp, subscriptions }];
}

function feedRows(
  {
    events,
    silenced,
    clients,
  }: {
    readonly events: Named<EventRow>;
    readonly silenced: Named<SilencedRow> | undefined;
    readonly clients: Named<ClientRow>;
  },
  isPlaced: boolean,
): FeedRows {
  const rows: FeedRows = {
    events: Object.fromEntries(events),
    ...(silenced && { silenced: Object.fromEntries(silenced) }),
    clients: Object.fromEntries(clients),
  };
  if (!isPlaced) return rows;
  return placedRows(rows, (key) => {
    const slash = key.indexOf('/');
    return [key.slice(0, slash), key.slice(slash + 1)];
  });
}
