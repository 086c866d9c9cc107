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
  readonly way: string;
  readonly facts?: Partial<UpgradeFacts> | UpgradeFacts;
  /** The expected verdict; undefined if the rule does not apply to this upgrade. */
  readonly verdict: RuleVerdict | undefined;
  /** A text that the evidence or the remedy contains. */
  readonly says?: string;
}

function scenarios(rule: string, rows: readonly Scenario[]): void {
  describe(`the rule ${rule}`, () => {
    test.each(rows)('the rule judges $way: $name', ({ way, facts, verdict, says }) => {
      const found = finding(rule, way, someFacts(facts));
      expect(found?.verdict).toBe(verdict);
      expect([...(found?.evidence ?? []), ...(found?.remedy ?? [])].join('\n')).toContain(says ?? '');
    });
  });
}

const HOURS = 3600;

scenarios('5.1.0-state-dir', [
  {
    name: 'a bare binary with its data in the old place is blocked until state-dir is set',
    way: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: null, old_has_data: true, new_has_data: false } },
    verdict: 'block',
    says: 'state-dir: /var/lib/sensu',
  },
  {
    name: 'a bare binary that sets it passes',
    way: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: '/var/lib/mon', old_has_data: true, new_has_data: false } },
    verdict: 'pass',
  },
  {
    name: 'a bare binary without data in the old place passes',
    way: '5.0.0 to 5.1.0',
    facts: { install: 'binary', state_dir: { configured: null, old_has_data: false, new_has_data: false } },
    verdict: 'pass',
  },
  { name: 'packages bring their own configuration', way: '5.0.0 to 5.1.0', verdict: undefined },
  { name: 'not on the way', way: '5.1.0 to 6.5.0', facts: { install: 'binary' }, verdict: undefined },
]);

scenarios('5.8.0-stop-all', [
  {
    name: 'a cluster is stopped as a whole',
    way: '5.7.0 to 5.8.0',
    facts: {
      backends: [
        { name: 'a', version: '5.7.0', healthy: true },
        { name: 'b', version: '5.7.0', healthy: null },
      ],
    },
    verdict: 'warn',
    says: 'b is unreachable at its health port',
  },
  { name: 'one backend passes', way: '5.7.0 to 5.8.0', verdict: 'pass' },
  { name: 'not on the way', way: '5.8.0 to 6.5.0', verdict: undefined },
]);

const entities = (total: number, limit: number | null = 100) => ({
  entities: { total, newest: [{ namespace: 'default', name: 'newest' }], limit },
});

scenarios('5.16.0-entity-limit', [
  { name: 'above the limit', way: '5.15.0 to 5.16.0', facts: entities(101), verdict: 'block', says: 'default/newest' },
  {
    name: 'above the limit, accepted',
    way: '5.15.0 to 5.16.0',
    facts: { ...entities(101), attested: ['entity-limit'] },
    verdict: 'warn',
  },
  { name: 'near the limit', way: '5.15.0 to 5.16.0', facts: entities(91), verdict: 'warn', says: 'get a license' },
  { name: 'at nine tenths of it', way: '5.15.0 to 5.16.0', facts: entities(90), verdict: 'pass' },
  { name: 'no limit', way: '5.15.0 to 5.16.0', facts: entities(5000, null), verdict: 'pass' },
  { name: 'not on the way', way: '5.16.0 to 6.5.0', facts: entities(101), verdict: undefined },
]);

const dump = { file: 'dump.yml', taken_at: FACTS_NOW - HOURS, counts: { CheckConfig: 2 }, problem: null };

scenarios('6.0.0-dump', [
  { name: 'a fresh and whole dump', way: '5.21.0 to 6.0.0', facts: { dump }, verdict: 'pass' },
  {
    name: 'a dump of yesterday morning',
    way: '5.21.0 to 6.4.0',
    facts: { dump: { ...dump, taken_at: FACTS_NOW - 25 * HOURS } },
    verdict: 'block',
    says: '25.0 h old',
  },
  {
    name: 'a dump that was cut off',
    way: '5.21.0 to 6.0.0',
    facts: { dump: { ...dump, problem: 'it ends in the middle of an object' } },
    verdict: 'block',
    says: 'ends in the middle',
  },
  {
    name: 'a dump that holds less than there is',
    way: '5.21.0 to 6.0.0',
    facts: { dump, counts: { CheckConfig: 3 } },
    verdict: 'block',
    says: 'of 3 CheckConfig it contains 2',
  },
  {
    name: 'no room on the disk',
    way: '5.21.0 to 6.0.0',
    facts: { dump, disk: { path: '/var', free_bytes: 1, needed_bytes: 2 } },
    verdict: 'block',
    says: 'free some space on /var',
  },
  { name: 'not from 5.x', way: '6.0.0 to 6.5.0', facts: unknown('dump'), verdict: undefined },
]);

scenarios('6.1.0-event-migration', [
  {
    name: 'many events in the relational database',
    way: '6.0.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 1_000_000 },
    verdict: 'warn',
    says: 'about 200 s',
  },
  {
    name: 'an empty relational database',
    way: '6.0.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 0 },
    verdict: 'pass',
  },
  { name: 'no relational database', way: '6.0.0 to 6.1.0', verdict: undefined },
  {
    name: 'only from 6.0',
    way: '5.21.0 to 6.1.0',
    facts: { event_store: 'relational', event_rows: 10 },
    verdict: undefined,
  },
]);

const orphan = { checks: [{ namespace: 'gone', name: 'cpu' }] };

scenarios('6.2.0-namespaces', [
  {
    name: 'a check of a missing namespace',
    way: '6.1.0 to 6.2.0',
    facts: orphan,
    verdict: 'block',
    says: 'sensuctl namespace create gone',
  },
  { name: 'and on a longer way', way: '5.1.0 to 6.5.0', facts: orphan, verdict: 'block', says: 'cpu' },
  { name: 'every check of a known one', way: '6.1.0 to 6.2.0', verdict: 'pass' },
  { name: 'not on the way', way: '6.2.0 to 6.5.0', facts: orphan, verdict: undefined },
]);

scenarios('6.4.0-store', [
  { name: 'a fresh snapshot', way: '6.3.0 to 6.4.0', verdict: 'pass', says: 'backend backend-a is at 6.0.0' },
  {
    name: 'a snapshot that does not open',
    way: '6.3.0 to 6.4.0',
    facts: { snapshot: { file: 's.db', taken_at: FACTS_NOW, problem: 'it is no database' } },
    verdict: 'block',
    says: 'it is no database',
  },
  {
    name: 'a snapshot of last week',
    way: '6.3.0 to 6.4.0',
    facts: { snapshot: { file: 's.db', taken_at: FACTS_NOW - 168 * HOURS, problem: null } },
    verdict: 'block',
    says: '168.0 h old',
  },
  { name: 'an external store', way: '6.3.0 to 6.4.0', facts: { key_value_store: 'external' }, verdict: 'pass' },
  {
    name: 'a relational database that nobody vouches for',
    way: '6.3.0 to 6.4.0',
    facts: { event_store: 'relational' },
    verdict: 'block',
    says: '--accept relational-backup',
  },
  {
    name: 'a relational database with a backup',
    way: '6.3.0 to 6.4.0',
    facts: { event_store: 'relational', attested: ['relational-backup'] },
    verdict: 'pass',
  },
  { name: 'not on the way', way: '6.4.0 to 6.5.0', verdict: undefined },
]);

const certificate = { file: 'b.pem', common_name: 'backend-b', names: ['other'], problem: null };

scenarios('6.4.0-certificates', [
  { name: 'all in order', way: '6.3.0 to 6.4.0', verdict: 'pass' },
  {
    name: 'CommonName only',
    way: '6.3.0 to 6.4.0',
    facts: { certificates: [certificate] },
    verdict: 'block',
    says: 'backend-b',
  },
  {
    name: 'the same name in another case',
    way: '6.3.0 to 6.4.0',
    facts: { certificates: [{ ...certificate, names: ['Backend-B'] }] },
    verdict: 'pass',
  },
  {
    name: 'no certificate at all',
    way: '6.3.0 to 6.4.0',
    facts: { certificates: [{ ...certificate, problem: 'it is empty' }] },
    verdict: 'block',
    says: 'it is empty',
  },
  { name: 'not on the way', way: '6.4.0 to 6.5.0', facts: { certificates: [certificate] }, verdict: undefined },
]);

scenarios('6.5.0-pipelines', [
  {
    name: 'agents below it',
    way: '6.4.0 to 6.5.0',
    facts: { agents: [{ namespace: 'default', name: 'old', version: '6.4.0' }] },
    verdict: 'warn',
    says: 'default/old (6.4.0)',
  },
  {
    name: 'an agent that does not say its version',
    way: '5.0.0 to 6.5.0',
    facts: { agents: [{ namespace: 'default', name: 'mute', version: null }] },
    verdict: 'warn',
    says: 'default/mute (unknown)',
  },
  { name: 'all at 6.5.0', way: '6.4.0 to 6.5.0', verdict: 'pass' },
  {
    name: 'no pipeline',
    way: '6.4.0 to 6.5.0',
    facts: { pipelines: 0, agents: [{ namespace: 'default', name: 'old', version: '6.4.0' }] },
    verdict: undefined,
  },
]);

scenarios('same-versions', [
  { name: 'one backend', way: '6.4.0 to 6.5.0', verdict: 'pass' },
  {
    name: 'two that differ',
    way: '6.4.0 to 6.5.0',
    facts: {
      backends: [
        { name: 'a', version: '6.4.0', healthy: true },
        { name: 'b', version: '6.5.0', healthy: true },
      ],
    },
    verdict: 'block',
    says: 'b: 6.5.0',
  },
]);

scenarios('stashes', [
  { name: 'none', way: '6.4.0 to 6.5.0', verdict: undefined },
  {
    name: 'some that can be migrated',
    way: '6.4.0 to 6.5.0',
    facts: { silence_stashes: { total: 3, unclear: ['silence/a/b/c'], unready: [] } },
    verdict: 'warn',
    says: 'silence/a/b/c',
  },
  {
    name: 'of clients that are too old',
    way: '6.4.0 to 6.5.0',
    facts: { silence_stashes: { total: 3, unclear: [], unready: ['web-1'] } },
    verdict: 'block',
    says: 'web-1',
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
  ])('the rule $rule without $missing has the verdict $verdict', ({ rule, way, missing, verdict }) => {
    expect(finding(rule, way, unknown(missing))?.verdict).toBe(verdict);
  });
});
