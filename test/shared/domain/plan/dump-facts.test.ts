import { expect, test } from 'vitest';
import { DumpFacts, type DumpedObject } from '../../../../shared/domain/plan/dump-facts.ts';

function facts(...objects: readonly DumpedObject[]) {
  const dump = new DumpFacts();
  for (const object of objects) dump.add(object);
  return { ...dump.facts(100), counts: dump.counts };
}

function entity(name: string, spec: DumpedObject['spec']): DumpedObject {
  return { type: 'Entity', metadata: { name, namespace: 'default' }, spec };
}

test('the upgrade facts of a dump are namespaces, checks, entities, agents with versions, and pipelines', () => {
  expect(
    facts(
      { type: 'Namespace', metadata: {}, spec: { name: 'default' } },
      { type: 'Namespace', metadata: {}, spec: { name: 'ops' } },
      { type: 'CheckConfig', metadata: { name: 'cpu', namespace: 'gone' }, spec: {} },
      { type: 'Pipeline', metadata: { name: 'p', namespace: 'ops' }, spec: {} },
      entity('web-1', { entity_class: 'agent', sensu_agent_version: '6.4.0', last_seen: 10 }),
      entity('web-2', { entity_class: 'agent', last_seen: 20 }),
      entity('switch', { entity_class: 'proxy' }),
    ),
  ).toEqual({
    namespaces: ['default', 'ops'],
    checks: [{ namespace: 'gone', name: 'cpu' }],
    entities: {
      total: 3,
      newest: ['web-2', 'web-1', 'switch'].map((name) => ({ namespace: 'default', name })),
      limit: 100,
    },
    agents: [
      { namespace: 'default', name: 'web-1', version: '6.4.0' },
      { namespace: 'default', name: 'web-2', version: null },
    ],
    pipelines: 1,
    counts: { Namespace: 2, CheckConfig: 1, Pipeline: 1, Entity: 3 },
  });
});

test('a dump without namespaces leaves namespaces and checks unknown, so that no check counts as an orphan', () => {
  const told = facts({ type: 'CheckConfig', metadata: { name: 'cpu', namespace: 'ops' }, spec: {} });
  expect(told.namespaces).toBeUndefined();
  expect(told.checks).toBeUndefined();
  expect(told.entities).toBeUndefined();
});

test('the upgrade facts of a dump name the ten newest entities, however many entities there are', () => {
  const many = Array.from({ length: 1000 }, (_, index) =>
    entity(`e${String(index)}`, { last_seen: (index * 7) % 1000 }),
  );
  const { entities } = facts(...many);
  expect(entities?.newest).toHaveLength(10);
  expect(entities?.newest[0]?.name).toBe('e857');
  expect(entities?.total).toBe(1000);
});
