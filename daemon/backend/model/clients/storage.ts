import type { Client } from '../../../../shared/schemas/client.ts';
import type { Key } from '../../ports.ts';
import { ClientEntry, eventsOf, type Namespace, type Tombstone } from '../registry/namespace.ts';
import type { RecordTable, Table } from '../registry/table.ts';
import { datedClient, encodeClient, type StoredClient } from './client-record.ts';
import { CLIENT_TOPIC } from './feed-rows.ts';
import { eachOf } from '../tables/dump-table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { v2EntityOf } from '../../../../shared/domain/v2/entity.ts';
import { type WrappedObject, wrappedOf } from '../../../../shared/domain/v2/wrapped-object.ts';

const CLIENT_PREFIX = 'client';

export const clientKey = (namespace: string, client: string): Key => [CLIENT_PREFIX, namespace, client];

/** The stored table of clients: one record per client, with its signature. */
export const CLIENTS: StoredTable & RecordTable<ClientEntry, Client> = {
  prefix: CLIENT_PREFIX,
  isEntry: (entry): entry is ClientEntry => entry instanceof ClientEntry,
  key: ({ namespace, name }) => clientKey(namespace.name, name),
  encode({ signature, reporter, isCounted }, client, era) {
    return encodeClient({ client, signature, reporter, isCounted: isCounted ? undefined : false, era });
  },
  decode: (text, corrections) => datedClient(text, corrections).client,
  load(namespace, _key, text, { corrections }) {
    const { client, ...origin } = datedClient(text, corrections);
    const entry = namespace.loadClient(client, origin);
    for (const check of eventsOf(entry)) namespace.aggregates.forgetSilencing(check);
  },
  unload(namespace, [, , client]) {
    const entry = namespace.clients.get(String(client));
    if (entry !== undefined) namespace.removeClient(entry);
  },
  topic: CLIENT_TOPIC,
  dumps: [
    {
      type: 'Entity',
      isNamespaced: true,
      dumped: eachOf((value, [namespace = '']) => dumpedEntity(namespace, value as StoredClient)),
    },
  ],
};

/** The stored table of bans: the time until which a deleted client must not be created again. */
export const CLIENT_BANS = markTable(
  'invalidated',
  ({ invalidated }) => invalidated,
  (untilMs, byMs) => untilMs + byMs,
);

/**
 * The stored table of tombstones: the time when a client was deleted, and the time until which late results cannot
 * create it again.
 */
export const TOMBSTONES = markTable(
  'tombstone',
  ({ tombstones }) => tombstones,
  ({ deletedMs, untilMs }: Tombstone, byMs) => ({ deletedMs: deletedMs + byMs, untilMs: untilMs + byMs }),
);

type MarkTable<Mark> = StoredTable & Table<Namespace, string, Mark>;

/** Returns a table with one value (a ban or a tombstone) per client name. The client need not exist. */
function markTable<Mark>(
  prefix: string,
  marksOf: (namespace: Namespace) => Map<string, Mark>,
  shifted: (mark: Mark, byMs: number) => Mark,
): MarkTable<Mark> {
  return {
    prefix,
    key: ({ name }, client) => [prefix, name, client],
    encode: (mark) => JSON.stringify(mark),
    putInMemory: (namespace, client, mark) => marksOf(namespace).set(client, mark),
    removeFromMemory: (namespace, client) => marksOf(namespace).delete(client),
    load: (namespace, [, , client], text, { texts }) =>
      marksOf(namespace).set(texts.share(String(client)), JSON.parse(text) as Mark),
    unload: (namespace, [, , client]) => marksOf(namespace).delete(String(client)),
    clear(namespace) {
      const marks = marksOf(namespace);
      const keys = [...marks.keys()].map((client) => [prefix, namespace.name, client]);
      marks.clear();
      return keys;
    },
    shiftTimes: (text, byMs) => JSON.stringify(shifted(JSON.parse(text) as Mark, byMs)),
  };
}

export function dumpedEntity(namespace: string, stored: StoredClient): WrappedObject {
  const { metadata, ...spec } = v2EntityOf(namespace, stored.client);
  return wrappedOf('Entity', metadata, { ...spec, mon: stored });
}
