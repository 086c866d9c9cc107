import type { UpgradeFacts } from '../../shared/schemas/plan.ts';

/** Time of the facts in epoch seconds, a moment in November 2026. */
export const FACTS_NOW = 1_795_200_000;

/** Returns the facts of an installation that are complete and show no problem, with overrides. */
export function someFacts(facts: Partial<UpgradeFacts> = {}): UpgradeFacts {
  return {
    product: 'cluster',
    taken_at: FACTS_NOW,
    namespaces: ['default'],
    checks: [{ namespace: 'default', name: 'disk' }],
    entities: { total: 20, newest: [{ namespace: 'default', name: 'web-20' }], limit: 100 },
    agents: [{ namespace: 'default', name: 'web-20', version: '6.5.0' }],
    pipelines: 1,
    event_rows: 0,
    backends: [{ name: 'backend-a', version: '6.0.0', healthy: true }],
    key_value_store: 'embedded',
    event_store: 'key-value',
    dump: { file: 'dump.yml', taken_at: FACTS_NOW - 60, counts: { CheckConfig: 1 }, problem: null },
    counts: { CheckConfig: 1 },
    snapshot: { file: 'snapshot.db', taken_at: FACTS_NOW - 60, problem: null },
    disk: { path: '/var/lib/mon', free_bytes: 10 ** 10, needed_bytes: 10 ** 9 },
    certificates: [{ file: 'a.pem', common_name: 'backend-a', names: ['backend-a', 'localhost'], problem: null }],
    install: 'package',
    state_dir: { configured: null, old_has_data: false, new_has_data: true },
    silence_stashes: { total: 0, unclear: [], unready: [] },
    attested: [],
    ...facts,
  };
}

/** Returns the same facts without those with these keys, as if they could not be determined. */
export function unknown(...keys: readonly (keyof UpgradeFacts)[]): UpgradeFacts {
  return Object.fromEntries(
    Object.entries(someFacts()).filter(([key]) => !keys.includes(key as keyof UpgradeFacts)),
  ) as UpgradeFacts;
}
