import { describe, expect, test } from 'vitest';
import { namespaceFixes, orphansOf } from '../../../../shared/domain/plan/orphans.ts';
import { createUpgradePlan } from '../../../../shared/domain/plan/plan.ts';
import { parsePath, type UpgradePath } from '../../../../shared/domain/plan/version.ts';
import { someFacts } from '../../../support/upgrade-facts.ts';

function pathBetween(from: string, to: string): UpgradePath {
  const path = parsePath(from, to);
  if ('problem' in path) throw new Error(path.problem);
  return path;
}

function stepIds(from: string, to: string, facts = someFacts()): readonly string[] {
  return createUpgradePlan(pathBetween(from, to), facts).steps.map(({ id }) => id);
}

describe('the general procedure (reference 9.2)', () => {
  test('the upgrade plan of a cluster without special steps is the general procedure', () => {
    expect(stepIds('6.2.0', '6.3.0')).toEqual([
      'rules',
      'install',
      'daemon-reload',
      'restart-agents',
      'restart-backend',
      'backends-agree',
      'migrate',
      'versions',
      'entities',
    ]);
  });

  test.each([
    { name: 'backup and migration while results are accepted', from: '6.2.0', to: '6.3.0', actions: [] },
    {
      name: 'drain and resume around a migration that needs all backends stopped',
      from: '5.7.0',
      to: '5.8.0',
      actions: ['drain', 'resume'],
    },
  ])('an upgrade plan of mon contains the actions of mon: $name', ({ from, to, actions }) => {
    const { steps } = createUpgradePlan(pathBetween(from, to), someFacts({ product: 'mon' }));
    const [before = [], after = []] = actions.map((action) => [action]);
    expect(steps.flatMap((step) => (step.kind === 'action' ? [step.action] : []))).toEqual([
      'backup',
      ...before,
      'migrate',
      ...after,
    ]);
    expect(steps).toContainEqual(expect.objectContaining({ action: 'migrate', confirm: to }));
  });

  test('the upgrade plan has one manual backup step if all state is in a database', () => {
    const facts = someFacts({ product: 'mon', key_value_store: 'external', event_store: 'relational' });
    for (const path of [pathBetween('6.2.0', '6.3.0'), pathBetween('6.3.0', '6.4.0')]) {
      const { steps } = createUpgradePlan(path, facts);
      const backups = steps.filter(({ title }) => /back ?up/i.test(title));
      expect(backups).toMatchObject([{ id: 'backup', kind: 'manual', commands: [expect.stringMatching(/^pg_dump /)] }]);
    }
  });

  test('an upgrade plan upgrades all backends before the database', () => {
    const facts = someFacts({
      backends: ['a', 'b'].map((name) => ({ name, version: '6.2.0', healthy: true })),
    });
    const ids = stepIds('6.2.0', '6.3.0', facts);
    expect(ids.slice(ids.indexOf('restart-agents'), ids.indexOf('migrate'))).toEqual([
      'restart-agents',
      'restart-a',
      'restart-b',
      'backends-agree',
    ]);
  });
});

describe('the steps that the rules add', () => {
  test('an upgrade plan from 5.0 to 6.5 has the steps in the order of versions, each in its phase', () => {
    const facts = someFacts({
      install: 'binary',
      state_dir: { configured: null, old_has_data: true, new_has_data: false },
      entities: { total: 120, newest: [], limit: 100 },
      checks: [{ namespace: 'gone', name: 'cpu' }],
      event_store: 'relational',
      backends: ['a', 'b'].map((name) => ({ name, version: '5.0.0', healthy: true })),
      certificates: [{ file: 'a.pem', common_name: 'a', names: [], problem: null }],
      agents: [{ namespace: 'default', name: 'old', version: '5.0.0' }],
      silence_stashes: { total: 1, unclear: [], unready: [] },
    });
    const plan = createUpgradePlan(pathBetween('5.0.0', '6.5.0'), facts);
    expect(plan.verdict).toBe('block');
    expect(plan.steps.map(({ id }) => id)).toEqual([
      'rules',
      'migrate-stashes',
      'set-state-dir',
      'raise-entity-limit',
      'fix-namespaces',
      'certificates',
      'dump',
      'snapshot',
      'relational-backup',
      'stop-a',
      'stop-b',
      'install',
      'daemon-reload',
      'restart-agents',
      'restart-a',
      'restart-b',
      'backends-agree',
      'migrate',
      'versions',
      'entities',
      'upgrade-agents',
    ]);
  });

  test('an upgrade plan starts backends that were stopped together instead of restarting them', () => {
    const backends = ['a', 'b'].map((name) => ({ name, version: '5.7.0', healthy: true }));
    const { steps } = createUpgradePlan(pathBetween('5.7.0', '5.8.0'), someFacts({ backends }));
    expect(steps.find(({ id }) => id === 'restart-a')?.commands).toEqual(['systemctl start sensu-backend']);
  });

  test('every step of an upgrade plan has a unique id', () => {
    const ids = stepIds('5.0.0', '6.5.0');
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each([
  ['6.5.0', '6.4.0', '6.4.0 is older than 6.5.0: there is no plan for a downgrade'],
  ['soon', '6.4.0', 'soon is not a version number: use one like 6.4.0'],
  ['6.4.0', '', ' is not a version number: use one like 6.4.0'],
])('an upgrade plan from %s to %s is rejected', (from, to, problem) => {
  expect(parsePath(from, to)).toEqual({ problem });
});

test('the remedy for missing namespaces recreates each, deletes its checks, then deletes it (reference 9.3)', () => {
  const orphans = orphansOf({
    namespaces: ['default'],
    checks: [
      { namespace: 'gone', name: 'disk' },
      { namespace: 'default', name: 'disk' },
      { namespace: 'gone', name: 'cpu' },
    ],
  });
  expect([...namespaceFixes(orphans ?? new Map())]).toEqual([
    { kind: 'create-namespace', namespace: 'gone' },
    { kind: 'delete-check', namespace: 'gone', name: 'cpu' },
    { kind: 'delete-check', namespace: 'gone', name: 'disk' },
    { kind: 'delete-namespace', namespace: 'gone' },
  ]);
});
