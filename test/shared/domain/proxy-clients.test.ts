import { describe, expect, test } from 'vitest';
import { checkDefinitionOf } from '../../../shared/domain/v2/check.ts';
import { clientConditionOf } from '../../../shared/domain/proxy-clients.ts';
import { checkSchema } from '../../../shared/schemas/check.ts';
import { v2CheckSchema, type V2Check } from '../../../shared/schemas/v2/check.ts';

const MOMENT = { nowMs: 0, zone: 'UTC' };
const SWITCH = {
  name: 'sw-1',
  address: '192.0.2.1',
  subscriptions: ['client:sw-1', 'network'],
  timestamp: 1,
  version: '1.9.0',
  type: 'proxy',
  labels: { site: 'north' },
  ports: 48,
};

describe('the entities of a v2 check with proxy requests', () => {
  test.each<[expressions: string[] | null, isAsked: boolean]>([
    [["entity.entity_class == 'proxy'"], true],
    [["entity.entity_class == 'agent'"], false],
    [["entity.entity_class == 'proxy'", "entity.metadata.labels['site'] == 'south'"], false],
    [["entity.metadata.labels.site == 'north' && entity.subscriptions.include?('entity:sw-1')"], true],
    [['entity.metadata.name =~ /^sw-/'], true],
    [["entity.metadata.namespace == 'prod'"], true],
    // Without expressions, the proxy request matches all clients, as in Sensu Go.
    [[], true],
    [null, true],
  ])('the proxy request %j of a v2 check matches the entity: %s', (expressions, isAsked) => {
    const check = v2CheckSchema.parse({
      metadata: { name: 'snmp', namespace: 'prod' },
      command: 'snmp',
      interval: 60,
      proxy_requests: { entity_attributes: expressions },
    }) as V2Check;
    const definition = checkDefinitionOf(check);
    expect('problem' in definition || clientConditionOf(definition)('prod', SWITCH, MOMENT)).toBe(isAsked);
  });
});

test.each<[attributes: object, isAsked: boolean]>([
  [{ type: 'proxy', ports: 48 }, true],
  [{ ports: 'eval: value > 24' }, true],
  [{ ports: 'eval: value > 48' }, false],
])('the proxy request %j of a check in the configuration matches the client: %s', (client_attributes, isAsked) => {
  const check = checkSchema.parse({
    command: 'snmp',
    subscribers: ['a'],
    interval: 60,
    proxy_requests: { client_attributes },
  });
  expect(clientConditionOf(check)('default', SWITCH, MOMENT)).toBe(isAsked);
});

test.each([
  { client_attributes: { type: 'proxy', ports: 'eval: value >' } },
  { client_attributes: {}, entity_attributes: ["entity.entity_class == 'proxy'", 'entity.name =='] },
])('a proxy request that cannot be parsed matches no client: %j', (proxy_requests) => {
  const check = checkSchema.parse({ command: 'snmp', subscribers: ['a'], interval: 60, proxy_requests });
  expect(clientConditionOf(check)('default', SWITCH, MOMENT)).toBe(false);
});
