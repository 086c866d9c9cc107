import { ReceivedAttributes } from '../../shared/client/received-attributes.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import type { ClientRow, EventRow, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import type { PastChanges, PastClient, PastState } from '../../shared/schemas/timeline.ts';
import type { EventRecord } from '../model/event-record.ts';
import { placedRows } from './follow-all.ts';

type KeyedRows<Row> = readonly (readonly [key: string, row: Row | null])[];

/**
 * Converts the lists of a past moment to rows in the form of a feed.
 *
 * @param isAllNamespaces true if the lists contain all namespaces, so that the namespace is added to every name
 */
export function rowsOfPast(
  {
    events,
    attributes,
    silenced = [],
    clients = [],
  }: Pick<PastState, 'events' | 'attributes' | 'silenced' | 'clients'>,
  isAllNamespaces: boolean,
): FeedRows {
  const eventOf = eventReader(attributes);
  return feedRows(
    { events: events.map(eventOf), silenced: silenced.map(silenceOf), clients: clients.map(clientOf) },
    isAllNamespaces,
  );
}

/**
 * Converts the differences between two past moments to rows in the form of a feed. Silences are not sent as
 * differences: all of them are included, or none.
 *
 * @param before the events of the previous moment
 * @param isPlaced true if the differences contain all namespaces, so that the namespace is added to every name
 */
export function rowsOfChanges(
  { events, attributes, removed, silenced, clients, removed_clients: removedClients }: PastChanges,
  before: Iterable<Pick<EventRecord, 'key' | 'row'>>,
  isPlaced: boolean,
): FeedRows {
  const rows = feedRows(
    {
      events: [
        ...removed.map(
          ({ namespace, client, check }) => [namespacedKey(namespace, eventKey(client, check)), null] as const,
        ),
        ...events.map(eventReader(attributes)),
      ],
      silenced: silenced?.map(silenceOf),
      clients: [
        ...removedClients.map(({ namespace, name }) => [namespacedKey(namespace, name), null] as const),
        ...clients.map(clientOf),
      ],
    },
    isPlaced,
  );
  if (silenced === undefined) return rows;
  // If the silences changed, the differences contain every event that is still silenced. Other events are no longer
  // silenced.
  const changedEvents = rows.events ?? {};
  const loud: Record<string, EventRow> = {};
  for (const { key, row } of before) {
    if (row.silenced_by.length > 0 && !(key in changedEvents)) loud[key] = { ...row, silenced_by: [] };
  }
  return { ...rows, events: { ...loud, ...changedEvents } };
}

/** Returns `namespace/key`, the form that `feedRows` parses, or only the key if there is no namespace. */
function namespacedKey(namespace: string | undefined, key: string): string {
  return namespace === undefined ? key : `${namespace}/${key}`;
}

type PastEvent = PastState['events'][number];

/** Returns a function that converts an event, and adds the attributes of its client and its check. */
function eventReader(attributes: PastState['attributes'] = {}): (row: PastEvent) => readonly [string, EventRow] {
  const sets = new ReceivedAttributes();
  sets.apply({ attributes });
  return (row) => {
    const event = { ...row, silenced_by: [...row.silenced_by] };
    sets.addTo(event);
    return [namespacedKey(row.namespace, eventKey(row.client, row.check)), event];
  };
}

function silenceOf(row: NonNullable<PastState['silenced']>[number]): readonly [string, SilencedRow] {
  return [namespacedKey(row.namespace, row.id), row];
}

/** Returns a client with the time of its newest keepalive, so that its age can be computed for each moment. */
function clientOf({
  events: _events,
  deleted: _deleted,
  last_seen: lastSeen,
  ...row
}: PastClient): readonly [string, ClientRow] {
  const subscriptions = [...row.subscriptions];
  return [namespacedKey(row.namespace, row.name), { ...row, timestamp: lastSeen ?? row.timestamp, subscriptions }];
}

function feedRows(
  {
    events,
    silenced,
    clients,
  }: {
    readonly events: KeyedRows<EventRow>;
    readonly silenced: KeyedRows<SilencedRow> | undefined;
    readonly clients: KeyedRows<ClientRow>;
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
