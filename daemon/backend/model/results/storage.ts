import { CheckSeries } from '../../../../shared/domain/check-series.ts';
import type { Key } from '../../ports.ts';
import type { CheckEntry, Namespace, SpoolMark } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { ttlDefinitionsOf, type CheckKey } from './ttl-definitions.ts';

const SPOOL_PREFIX = 'spool';

/**
 * The table of the committed position in the spool of each agent, by the name of its client. It is loaded after the
 * clients, so that it can share the texts of their names.
 */
export const AGENT_SPOOLS: StoredTable & LatestTable<Namespace, string> = {
  prefix: SPOOL_PREFIX,
  key: ({ name }, client) => [SPOOL_PREFIX, name, client],
  encodeLatest({ spools }, client) {
    const mark = spools.get(client);
    return mark === undefined ? undefined : JSON.stringify(mark);
  },
  load({ clients, spools }, [, , key], text, { texts }) {
    const client = String(key);
    spools.set(clients.get(client)?.name ?? texts.share(client), JSON.parse(text) as SpoolMark);
  },
  unload: ({ spools }, [, , client]) => spools.delete(String(client)),
  clear({ name, spools }) {
    const keys = [...spools.keys()].map((client) => [SPOOL_PREFIX, name, client]);
    spools.clear();
    return keys;
  },
};

const SERIES_PREFIX = 'series';
const CHUNK_PREFIX = 'series-chunk';

/**
 * The table of the series of checks. The full chunks of a series have their own keys and are only in the store. It is
 * loaded after the checks.
 */
export const SERIES: StoredTable & LatestTable<Namespace, CheckEntry> = {
  prefix: SERIES_PREFIX,
  key: ({ name }, { client, name: check }) => [SERIES_PREFIX, name, client.name, check],
  encodeLatest: (_namespace, { series }) => series?.encode(),
  load(namespace, [, , client, check], text) {
    const entry = namespace.check(String(client), String(check));
    if (entry !== undefined) namespace.setSeries(entry, CheckSeries.decode(text));
  },
  unload(namespace, [, , client, check]) {
    const entry = namespace.check(String(client), String(check));
    if (entry !== undefined) namespace.setSeries(entry, undefined);
  },
};

/** Returns the key of a full chunk of a series. */
export function chunkKey({ client, name }: CheckEntry, slot: number): Key {
  return [CHUNK_PREFIX, client.namespace.name, client.name, name, slot];
}

const TTL_PREFIX = 'ttl-definitions';
const TTL_KEY: Key = [TTL_PREFIX];

/**
 * The table of the check definitions with a `ttl`. When a backend starts with another configuration, or becomes the
 * leader, it compares its definitions with this table to find those that were removed.
 */
export const TTL_DEFINITIONS: StoredTable & LatestTable<Registry, 'checks'> = {
  prefix: TTL_PREFIX,
  key: () => TTL_KEY,
  encodeLatest: (registry) => JSON.stringify([...ttlDefinitionsOf(registry).checks]),
  replaceAll(registry, [stored]) {
    const checks = stored === undefined ? [] : (JSON.parse(stored[1]) as (readonly [CheckKey, number | null])[]);
    ttlDefinitionsOf(registry).checks = new Map(checks);
  },
};
