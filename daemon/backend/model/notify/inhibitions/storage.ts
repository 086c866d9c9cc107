import type { Key } from '../../../ports.ts';
import type { Namespace } from '../../registry/namespace.ts';
import type { Registry } from '../../registry/registry.ts';
import type { LatestTable, Table } from '../../registry/table.ts';
import type { StoredTable } from '../../tables/stored-table.ts';
import { inhibitorsOf, openSettledRules, type ActiveInhibitor } from './state.ts';

const PREFIX = 'inhibitor';

const keyIn = (namespace: string, { rule, client, check }: ActiveInhibitor): Key => [
  PREFIX,
  namespace,
  rule,
  client,
  check,
];

/**
 * The table of inhibitor records. They are stored so that a restarted backend knows which events inhibit others before
 * the next results of these events arrive.
 */
export const INHIBITORS: StoredTable & Table<Namespace, ActiveInhibitor, ActiveInhibitor> = {
  prefix: PREFIX,
  key: ({ name }, inhibitor) => keyIn(name, inhibitor),
  encode: ({ fingerprint, key }) => JSON.stringify({ fingerprint, key }),
  hold: (namespace, _id, inhibitor) => inhibitorsOf(namespace).put(inhibitor),
  drop: (namespace, inhibitor) => inhibitorsOf(namespace).remove(inhibitor),
  change: ({ name }, { rule, client, check }) => ['inhibitor', name, rule, client, check],
  load(namespace, [, , rule, client, check], text) {
    const { fingerprint, key } = JSON.parse(text) as Pick<ActiveInhibitor, 'fingerprint' | 'key'>;
    inhibitorsOf(namespace).put({ rule: String(rule), client: String(client), check: String(check), fingerprint, key });
  },
  unload(namespace, [, , rule, client, check]) {
    inhibitorsOf(namespace).remove({ rule: String(rule), client: String(client), check: String(check) });
  },
  clear(namespace) {
    const inhibitors = inhibitorsOf(namespace);
    const all = [...inhibitors.all()];
    for (const inhibitor of all) inhibitors.remove(inhibitor);
    return all.map((inhibitor) => keyIn(namespace.name, inhibitor));
  },
};

const SETTLED_PREFIX = 'inhibition-rules';
const SETTLED_KEY: Key = [SETTLED_PREFIX];

/**
 * The table with one record: the fingerprints of the inhibition rules against which all open events were evaluated
 * last. A backend that starts with other rules evaluates all open events again.
 */
export const SETTLED_RULES: StoredTable & LatestTable<Registry, 'fingerprints'> = {
  prefix: SETTLED_PREFIX,
  key: () => SETTLED_KEY,
  encodeLatest: (registry) => JSON.stringify(registry.state(openSettledRules).fingerprints),
  adopt(registry, [stored]) {
    registry.state(openSettledRules).fingerprints = stored === undefined ? [] : (JSON.parse(stored[1]) as string[]);
  },
};
