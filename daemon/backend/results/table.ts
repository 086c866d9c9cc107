import type { Namespace, SpoolMark } from '../registry/namespace.ts';
import type { LatestTable } from '../registry/table.ts';
import type { StoredTable } from '../tables/stored-table.ts';

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
