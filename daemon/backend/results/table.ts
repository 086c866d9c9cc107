import type { Key } from '../ports.ts';
import type { Namespace, SpoolMark } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';
import { ttlDefinitionsOf, type CheckKey } from './ttl-definitions.ts';

const PREFIX = 'spool';

/** How far each agent's spool was committed, by the name of its client. After the clients, with which it shares names. */
export const AGENT_SPOOLS: StoredTable & LatestTable<Namespace, string> = {
  prefix: PREFIX,
  key: ({ name }, client) => [PREFIX, name, client],
  encodeHeld({ spools }, client) {
    const mark = spools.get(client);
    return mark === undefined ? undefined : JSON.stringify(mark);
  },
  load({ clients, spools }, [, , key], text, { texts }) {
    const client = String(key);
    spools.set(clients.get(client)?.name ?? texts.of(client), JSON.parse(text) as SpoolMark);
  },
  unload: ({ spools }, [, , client]) => spools.delete(String(client)),
  clear({ name, spools }) {
    const keys = [...spools.keys()].map((client) => [PREFIX, name, client]);
    spools.clear();
    return keys;
  },
};

const TTL_PREFIX = 'ttl-definitions';
const TTL_KEY: Key = [TTL_PREFIX];

/** A backend that is started with another configuration, or takes over, learns from it which definitions are gone. */
export const TTL_DEFINITIONS: StoredTable & LatestTable<Registry, 'checks'> = {
  prefix: TTL_PREFIX,
  key: () => TTL_KEY,
  encodeHeld: (registry) => JSON.stringify([...ttlDefinitionsOf(registry).checks]),
  adopt(registry, [stored]) {
    const checks = stored === undefined ? [] : (JSON.parse(stored[1]) as (readonly [CheckKey, number | null])[]);
    ttlDefinitionsOf(registry).checks = new Map(checks);
  },
};
