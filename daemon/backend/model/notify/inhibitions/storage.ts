import type { Key } from '../../../ports.ts';
import type { Namespace } from '../../registry/namespace.ts';
import type { Registry } from '../../registry/registry.ts';
import type { LatestTable, Table } from '../../registry/table.ts';
import type { StoredTable } from '../../tables/stored-table.ts';
import { inhibitorsOf, createEvaluatedInhibitionRules, type InhibitorRecord } from './state.ts';

const INHIBITOR_PREFIX = 'inhibitor';

const inhibitorKey = (namespace: string, { rule, client, check }: InhibitorRecord): Key => [
  INHIBITOR_PREFIX,
  namespace,
  rule,
  client,
  check,
];

/**
 * The table of inhibitor records. They are stored so that a restarted backend knows which events inhibit others, before
 * new results of these events arrive.
 */
export const INHIBITORS: StoredTable & Table<Namespace, InhibitorRecord, InhibitorRecord> = {
  prefix: INHIBITOR_PREFIX,
  key: ({ name }, inhibitor) => inhibitorKey(name, inhibitor),
  encode: ({ fingerprint, key }) => JSON.stringify({ fingerprint, key }),
  putInMemory: (namespace, _id, inhibitor) => inhibitorsOf(namespace).put(inhibitor),
  removeFromMemory: (namespace, inhibitor) => inhibitorsOf(namespace).remove(inhibitor),
  change: ({ name }, { rule, client, check }) => ['inhibitor', name, rule, client, check],
  load(namespace, [, , rule, client, check], text) {
    const { fingerprint, key } = JSON.parse(text) as Pick<InhibitorRecord, 'fingerprint' | 'key'>;
    inhibitorsOf(namespace).put({ rule: String(rule), client: String(client), check: String(check), fingerprint, key });
  },
  unload(namespace, [, , rule, client, check]) {
    inhibitorsOf(namespace).remove({ rule: String(rule), client: String(client), check: String(check) });
  },
  clear(namespace) {
    const inhibitors = inhibitorsOf(namespace);
    const all = [...inhibitors.all()];
    for (const inhibitor of all) inhibitors.remove(inhibitor);
    return all.map((inhibitor) => inhibitorKey(namespace.name, inhibitor));
  },
};

const EVALUATED_RULES_PREFIX = 'inhibition-rules';
const EVALUATED_RULES_KEY: Key = [EVALUATED_RULES_PREFIX];

/**
 * The table with a single record: the fingerprints of the inhibition rules against which all open events were last
 * evaluated. If a backend starts with other rules, it evaluates all open events again.
 */
export const EVALUATED_INHIBITION_RULES: StoredTable & LatestTable<Registry, 'fingerprints'> = {
  prefix: EVALUATED_RULES_PREFIX,
  key: () => EVALUATED_RULES_KEY,
  encodeLatest: (registry) => JSON.stringify(registry.state(createEvaluatedInhibitionRules).fingerprints),
  replaceAll(registry, [stored]) {
    registry.state(createEvaluatedInhibitionRules).fingerprints =
      stored === undefined ? [] : (JSON.parse(stored[1]) as string[]);
  },
};
