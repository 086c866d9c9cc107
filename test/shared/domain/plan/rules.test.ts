import { describe, expect, test } from 'vitest';
import { findingsOf } from '../../../../shared/domain/plan/plan.ts';
import { parsePath, type UpgradePath } from '../../../../shared/domain/plan/version.ts';
import type { RuleVerdict, UpgradeFacts } from '../../../../shared/schemas/plan.ts';
import { FACTS_NOW, someFacts, unknown } from '../../../support/upgrade-facts.ts';

/** Tests of each rule: inputs that make it fire, and inputs that do not (reference 9.3, completion 1.19). */

function path(text: string): UpgradePath {
  const [from = '', to = ''] = text.split(' to ');
  const parsed = parsePath(from, to);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

function finding(rule: string, way: string, facts: UpgradeFacts) {
  return findingsOf(path(way), facts).find((one) => one.rule === rule);
}

interface Scenario {
  readonly name: string;
  readonly upgradePath: string;
  readonly facts?: Partial<UpgradeFacts> | UpgradeFacts;
  /** The expected verdict, or `undefined` if the rule does not apply to this upgrade. */
  readonly verdict: RuleVerdict | undefined;
  /** A text that the evidence or the remedy contains. */
  readonly expectedText?: string;
}

function scenarios(rule: string, rows: readonly Scenario[]): void {
  describe(`the rule ${rule}`, () => {
    test.each(rows)(
      'the verdict of the upgrade rule for $upgradePath is right: $name',
      ({ upgradePath, facts, verdict, expectedText }) => {
        const found = finding(rule, upgradePath, someFacts(facts));
        expect(found?.verdict).toBe(verdict);
        expect([...(found?.evidence ?? []), ...(found?.remedy ?? [])].join('\n')).toContain(expectedText ?? '');
      },
    );
  });
}

const HOURS = 3600;

scenarios('5.1.0-state-dir', [
  {
    name: 'a bare binary with data in the old directory and without state-dir is blocked',
    upgradePath: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: null, old_has_data: true, new_has_data: false } },
    verdict: 'block',
    expectedText: 'state-dir: /var/lib/sensu',
  },
  {
    name: 'a bare binary with the setting state-dir passes',
    upgradePath: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: '/var/lib/mon', old_has_data: true, new_has_data: false } },
    verdict: 'pass',
  },
  {
    name: 'a bare binary without data in the old directory passes',
    upgradePath: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: null, old_has_data: false, new_has_data: false } },
    verdict: 'pass',
  },
  {
    name: 'the rule does not apply to packages, which have their own configuration',
    upgradePath: '5.0.0 to 5.1.0',
    verdict: undefined,
  },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '5.1.0 to 6.5.0',
    facts: { install: 'binary' },
    verdict: undefined,
  },
]);

scenarios('5.8.0-stop-all', [
  {
    name: 'a cluster gets a warning that all backends must stop together',
    upgradePath: '5.7.0 to 5.8.0',
    facts: {
      backends: [
        { name: 'a', version: '5.7.0', healthy: true },
        { name: 'b', version: '5.7.0', healthy: null },
      ],
    },
    verdict: 'warn',
    expectedText: 'b is unreachable at its health port',
  },
  { name: 'a single backend passes', upgradePath: '5.7.0 to 5.8.0', verdict: 'pass' },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '5.8.0 to 6.5.0',
    verdict: undefined,
  },
]);

const entities = (total: number, limit: number | null = 100) => ({
  entities: { total, newest: [{ namespace: 'default', name: 'newest' }], limit },
});

scenarios('5.16.0-entity-limit', [
  {
    name: 'a number of entities above the limit is blocked',
    upgradePath: '5.15.0 to 5.16.0',
    facts: entities(101),
    verdict: 'block',
    expectedText: 'default/newest',
  },
  {
    name: 'an accepted number of entities above the limit gets a warning',
    upgradePath: '5.15.0 to 5.16.0',
    facts: { ...entities(101), attested: ['entity-limit'] },
    verdict: 'warn',
  },
  {
    name: 'a number of entities near the limit gets a warning',
    upgradePath: '5.15.0 to 5.16.0',
    facts: entities(91),
    verdict: 'warn',
    expectedText: 'get a license',
  },
  {
    name: 'a number of entities at nine tenths of the limit passes',
    upgradePath: '5.15.0 to 5.16.0',
    facts: entities(90),
    verdict: 'pass',
  },
  {
    name: 'any number of entities without a limit passes',
    upgradePath: '5.15.0 to 5.16.0',
    facts: entities(5000, null),
    verdict: 'pass',
  },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '5.16.0 to 6.5.0',
    facts: entities(101),
    verdict: undefined,
  },
]);

const dump = { file: 'dump.yml', taken_at: FACTS_NOW - HOURS, counts: { CheckConfig: 2 }, problem: null };

scenarios('6.0.0-dump', [
  { name: 'a recent and complete dump passes', upgradePath: '5.21.0 to 6.0.0', facts: { dump }, verdict: 'pass' },
  {
    name: 'a dump that is older than a day is blocked',
    upgradePath: '5.21.0 to 6.4.0',
    facts: { dump: { ...dump, taken_at: FACTS_NOW - 25 * HOURS } },
    verdict: 'block',
    expectedText: '25.0 h old',
  },
  {
    name: 'a truncated dump is blocked',
    upgradePath: '5.21.0 to 6.0.0',
    facts: { dump: { ...dump, problem: 'it ends in the middle of an object' } },
    verdict: 'block',
    expectedText: 'ends in the middle',
  },
  {
    name: 'a dump with fewer objects than the cluster is blocked',
    upgradePath: '5.21.0 to 6.0.0',
    facts: { dump, counts: { CheckConfig: 3 } },
    verdict: 'block',
    expectedText: 'of 3 CheckConfig it contains 2',
  },
  {
    name: 'too little free disk space is blocked',
    upgradePath: '5.21.0 to 6.0.0',
    facts: { dump, disk: { path: '/var', free_bytes: 1, needed_bytes: 2 } },
    verdict: 'block',
    expectedText: 'free some space on /var',
  },
  {
    name: 'the rule does not apply to an upgrade from 6.x',
    upgradePath: '6.0.0 to 6.5.0',
    facts: unknown('dump'),
    verdict: undefined,
  },
]);

scenarios('6.1.0-event-migration', [
  {
    name: 'many events in the relational database get a warning with the duration',
    upgradePath: '6.0.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 1_000_000 },
    verdict: 'warn',
    expectedText: 'about 200 s',
  },
  {
    name: 'an empty relational database passes',
    upgradePath: '6.0.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 0 },
    verdict: 'pass',
  },
  { name: 'the rule does not apply without a relational database', upgradePath: '6.0.0 to 6.1.0', verdict: undefined },
  {
    name: 'the rule does not apply to an upgrade from 5.x',
    upgradePath: '5.21.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 10 },
    verdict: undefined,
  },
]);

const orphan = { checks: [{ namespace: 'gone', name: 'cpu' }] };

scenarios('6.2.0-namespaces', [
  {
    name: 'a check of a missing namespace is blocked',
    upgradePath: '6.1.0 to 6.2.0',
    facts: orphan,
    verdict: 'block',
    expectedText: 'sensuctl namespace create gone',
  },
  {
    name: 'a check of a missing namespace is blocked in an upgrade over several versions',
    upgradePath: '5.1.0 to 6.5.0',
    facts: orphan,
    verdict: 'block',
    expectedText: 'cpu',
  },
  { name: 'checks of existing namespaces pass', upgradePath: '6.1.0 to 6.2.0', verdict: 'pass' },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '6.2.0 to 6.5.0',
    facts: orphan,
    verdict: undefined,
  },
]);

scenarios('6.4.0-store', [
  {
    name: 'a recent snapshot passes',
    upgradePath: '6.3.0 to 6.4.0',
    verdict: 'pass',
    expectedText: 'backend backend-a is at 6.0.0',
  },
  {
    name: 'a snapshot that cannot be opened is blocked',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { snapshot: { file: 's.db', taken_at: FACTS_NOW, problem: 'it is no database' } },
    verdict: 'block',
    expectedText: 'it is no database',
  },
  {
    name: 'a snapshot that is a week old is blocked',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { snapshot: { file: 's.db', taken_at: FACTS_NOW - 168 * HOURS, problem: null } },
    verdict: 'block',
    expectedText: '168.0 h old',
  },
  {
    name: 'an external key-value store passes without a snapshot',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { key_value_store: 'external' },
    verdict: 'pass',
  },
  {
    name: 'a relational database without a confirmed backup is blocked',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { event_store: 'relational' },
    verdict: 'block',
    expectedText: '--accept relational-backup',
  },
  {
    name: 'a relational database with a confirmed backup passes',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { event_store: 'relational', attested: ['relational-backup'] },
    verdict: 'pass',
  },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '6.4.0 to 6.5.0',
    verdict: undefined,
  },
]);

const certificate = { file: 'b.pem', common_name: 'backend-b', names: ['other'], problem: null };

scenarios('6.4.0-certificates', [
  { name: 'valid certificates pass', upgradePath: '6.3.0 to 6.4.0', verdict: 'pass' },
  {
    name: 'a certificate whose names lack its CommonName is blocked',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { certificates: [certificate] },
    verdict: 'block',
    expectedText: 'backend-b',
  },
  {
    name: 'a CommonName that the names contain in another case passes',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { certificates: [{ ...certificate, names: ['Backend-B'] }] },
    verdict: 'pass',
  },
  {
    name: 'an unreadable certificate file is blocked',
    upgradePath: '6.3.0 to 6.4.0',
    facts: { certificates: [{ ...certificate, problem: 'it is empty' }] },
    verdict: 'block',
    expectedText: 'it is empty',
  },
  {
    name: 'the rule does not apply to an upgrade that does not cross its version',
    upgradePath: '6.4.0 to 6.5.0',
    facts: { certificates: [certificate] },
    verdict: undefined,
  },
]);

scenarios('6.5.0-pipelines', [
  {
    name: 'agents older than 6.5.0 get a warning',
    upgradePath: '6.4.0 to 6.5.0',
    facts: { agents: [{ namespace: 'default', name: 'old', version: '6.4.0' }] },
    verdict: 'warn',
    expectedText: 'default/old (6.4.0)',
  },
  {
    name: 'an agent without a version gets a warning',
    upgradePath: '5.0.0 to 6.5.0',
    facts: { agents: [{ namespace: 'default', name: 'mute', version: null }] },
    verdict: 'warn',
    expectedText: 'default/mute (unknown)',
  },
  { name: 'agents of 6.5.0 pass', upgradePath: '6.4.0 to 6.5.0', verdict: 'pass' },
  {
    name: 'the rule does not apply without pipelines',
    upgradePath: '6.4.0 to 6.5.0',
    facts: { pipelines: 0, agents: [{ namespace: 'default', name: 'old', version: '6.4.0' }] },
    verdict: undefined,
  },
]);

scenarios('same-versions', [
  { name: 'a single backend passes', upgradePath: '6.4.0 to 6.5.0', verdict: 'pass' },
  {
    name: 'backends with different versions are blocked',
    upgradePath: '6.4.0 to 6.5.0',
    facts: {
      backends: [
        { name: 'a', version: '6.4.0', healthy: true },
        { name: 'b', version: '6.5.0', healthy: true },
      ],
    },
    verdict: 'block',
    expectedText: 'b: 6.5.0',
  },
]);

scenarios('stashes', [
  { name: 'the rule does not apply without silence stashes', upgradePath: '6.4.0 to 6.5.0', verdict: undefined },
  {
    name: 'silence stashes that can be migrated get a warning',
    upgradePath: '6.4.0 to 6.5.0',
    facts: { silence_stashes: { total: 3, unclear: ['silence/a/b/c'], unready: [] } },
    verdict: 'warn',
    expectedText: 'silence/a/b/c',
  },
  {
    name: 'silence stashes of clients that are too old are blocked',
    upgradePath: '6.4.0 to 6.5.0',
    facts: { silence_stashes: { total: 3, unclear: [], unready: ['web-1'] } },
    verdict: 'block',
    expectedText: 'web-1',
  },
]);

describe('unknown facts', () => {
  test.each<{ rule: string; way: string; missing: keyof UpgradeFacts; verdict: RuleVerdict }>([
    { rule: '5.1.0-state-dir', way: '5.0.0 to 5.1.0', missing: 'install', verdict: 'pass' },
    { rule: '5.8.0-stop-all', way: '5.7.0 to 5.8.0', missing: 'backends', verdict: 'warn' },
    { rule: '5.16.0-entity-limit', way: '5.15.0 to 5.16.0', missing: 'entities', verdict: 'warn' },
    { rule: '6.0.0-dump', way: '5.21.0 to 6.0.0', missing: 'dump', verdict: 'block' },
    { rule: '6.0.0-dump', way: '5.21.0 to 6.0.0', missing: 'disk', verdict: 'warn' },
    { rule: '6.0.0-dump', way: '5.21.0 to 6.0.0', missing: 'counts', verdict: 'warn' },
    { rule: '6.1.0-event-migration', way: '6.0.0 to 6.1.0', missing: 'event_store', verdict: 'warn' },
    { rule: '6.2.0-namespaces', way: '6.1.0 to 6.2.0', missing: 'namespaces', verdict: 'block' },
    { rule: '6.4.0-store', way: '6.3.0 to 6.4.0', missing: 'snapshot', verdict: 'block' },
    { rule: '6.4.0-store', way: '6.3.0 to 6.4.0', missing: 'backends', verdict: 'warn' },
    { rule: '6.4.0-certificates', way: '6.3.0 to 6.4.0', missing: 'certificates', verdict: 'warn' },
    { rule: '6.5.0-pipelines', way: '6.4.0 to 6.5.0', missing: 'agents', verdict: 'warn' },
    { rule: 'same-versions', way: '6.4.0 to 6.5.0', missing: 'backends', verdict: 'warn' },
  ])('the upgrade rule $rule without the fact $missing has the verdict $verdict', ({ rule, way, missing, verdict }) => {
    expect(finding(rule, way, unknown(missing))?.verdict).toBe(verdict);
  });
});
