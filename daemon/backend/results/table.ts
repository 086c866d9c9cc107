import type { Namespace, SpoolMark } from '../registry/namespace.ts';
import type { HeldTable } from '../registry/registry.ts';
import { flat } from '../registry/shared-texts.ts';
import type { LatestTable } from '../registry/table.ts';

const PREFIX = 'spool';

/** How far each agent's spool was committed, by the name of its client. After the clients, with which it shares names. */
export const AGENT_SPOOLS: HeldTable & LatestTable<Namespace, string> = {
  prefix: PREFIX,
  key: ({ name }, client) => [PREFIX, name, client],
  encodeHeld({ spools }, client) {
    const mark = spools.get(client);
    return mark === undefined ? undefined : JSON.stringify(mark);
  },
  load({ clients, spools }, [, , key], text) {
    const client = String(key);
    spools.set(clients.get(client)?.name ?? flat(client), JSON.parse(text) as SpoolMark);
  },
  clear({ name, spools }) {
    const keys = [...spools.keys()].map((client) => [PREFIX, name, client]);
    spools.clear();
    return keys;
  },
};
