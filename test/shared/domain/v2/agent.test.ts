import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientOfKeepalive,
  v2CheckRequest,
  entityConfigOf,
  resultOfAgentEvent,
} from '../../../../shared/domain/v2/agent.ts';
import { agentFrame, parseAgentFrame } from '../../../../shared/domain/v2/agent-frame.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import type { V2Check } from '../../../../shared/schemas/v2/check.ts';
import type { SubmittedV2Event } from '../../../../shared/schemas/v2/event.ts';

const NOW = 1_700_000_000;
const about = (present?: Client) => ({ present, now: NOW, version: '1.9.0', isConfigurable: true });

const keepalive = (
  check: SubmittedV2Event['check'] = {},
  entity: SubmittedV2Event['entity'] = {},
): SubmittedV2Event => ({
  timestamp: NOW - 3,
  entity: {
    metadata: { name: 'web-01', labels: { rack: 'r7' } },
    subscriptions: ['web'],
    sensu_agent_version: '6.2.4',
    ...entity,
  },
  check,
});

const stored: Client = {
  name: 'web-01',
  address: '192.0.2.1',
  subscriptions: ['db', 'client:web-01'],
  timestamp: 1,
  version: '1.9.0',
  keepalives: true,
  entity_class: 'agent',
  labels: { rack: 'r8' },
};

describe('agent frames', () => {
  test('an agent frame that is written parses back to its type and payload', () => {
    const payloads = fc.jsonValue();
    fc.assert(
      fc.property(fc.stringMatching(/^\w{1,64}$/), payloads, (type, payload) => {
        const frame = parseAgentFrame(agentFrame(type, payload));
        expect(frame?.type).toBe(type);
        expect(JSON.stringify(JSON.parse(frame?.payload ?? ''))).toBe(JSON.stringify(payload));
      }),
    );
  });

  test.each(['', '\n', '\n{}', '{}', `${'x'.repeat(65)}\n{}`])('the frame %j has no type', (text) => {
    expect(parseAgentFrame(text)).toBeUndefined();
  });
});

describe('a keepalive', () => {
  test('a keepalive creates the client that it describes', () => {
    expect(clientOfKeepalive(keepalive({ timeout: 40, ttl: 80 }), 'web-01', about())).toMatchObject({
      name: 'web-01',
      subscriptions: ['web', 'client:web-01'],
      labels: { rack: 'r7' },
      keepalives: true,
      timestamp: NOW - 3,
      keepalive: { interval: 20, timeout: 40, ttl: 80 },
    });
  });

  test('a keepalive replaces the stored thresholds', () => {
    const present = { ...stored, keepalive: { thresholds: { warning: 1, critical: 2 }, refresh: 60 } };
    const { keepalive: own } = clientOfKeepalive(keepalive({ timeout: 60 }), 'web-01', about(present));
    expect(own).toEqual({ refresh: 60, interval: 20, timeout: 60, ttl: 0 });
  });

  test.each<{ name: string; handlers: string[]; expected: string[] | undefined }>([
    { name: 'its own handlers are told', handlers: ['pager'], expected: ['pager'] },
    { name: 'the default one is the business of the backend', handlers: ['keepalive'], expected: undefined },
    { name: 'none is none of its own', handlers: [], expected: undefined },
  ])('a keepalive sets the handlers: $name', ({ handlers, expected }) => {
    const { keepalive: own } = clientOfKeepalive(keepalive({ handlers }), 'web-01', about());
    expect(own?.['handlers']).toEqual(expected);
  });

  test.each<{
    name: string;
    present: Client;
    entity: SubmittedV2Event['entity'];
    subscriptions: string[];
  }>([
    { name: 'the backend configures agents', present: stored, entity: {}, subscriptions: ['db', 'client:web-01'] },
    {
      name: 'not those of version 5',
      present: stored,
      entity: { sensu_agent_version: '5.21.0' },
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'nor those that are marked',
      present: stored,
      entity: { metadata: { name: 'web-01', labels: { 'sensu.io/managed_by': 'sensu-agent' } } },
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'what results made before has no configuration',
      present: { ...stored, entity_class: undefined, keepalives: false, subscriptions: ['client:web-01'] },
      entity: {},
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'nor has a proxy that an agent takes over',
      present: { ...stored, entity_class: 'proxy', type: 'proxy', keepalives: false },
      entity: {},
      subscriptions: ['web', 'client:web-01'],
    },
  ])('a keepalive sets the subscriptions: $name', ({ present, entity, subscriptions }) => {
    const client = clientOfKeepalive(keepalive({}, entity), 'web-01', about(present));
    expect(client.subscriptions).toEqual(subscriptions);
    expect(client['type']).toBeUndefined();
    expect(client.keepalives).toBe(true);
  });

  test.each<{ version: string | null; isConfigurable: boolean; subscription: string }>([
    { version: '', isConfigurable: false, subscription: 'web' },
    { version: null, isConfigurable: false, subscription: 'web' },
    { version: null, isConfigurable: true, subscription: 'db' },
    { version: '5.21.0', isConfigurable: true, subscription: 'web' },
    { version: '6.2.4', isConfigurable: false, subscription: 'db' },
  ])(
    'an agent of version $version, configurable: $isConfigurable, has the subscription $subscription',
    ({ version, ...how }) => {
      const event = keepalive({}, { sensu_agent_version: version });
      const client = clientOfKeepalive(event, 'web-01', { ...about(stored), isConfigurable: how.isConfigurable });
      expect(client.subscriptions).toEqual([how.subscription, 'client:web-01']);
    },
  );

  test('a keepalive leaves the stored handlers unchanged, except for agents of version 5', () => {
    const present = { ...stored, keepalive: { handlers: ['stored'], refresh: 60 } };
    const own = (entity = {}): unknown =>
      clientOfKeepalive(keepalive({ handlers: ['told'] }, entity), 'web-01', about(present)).keepalive;
    expect(own()).toMatchObject({ handlers: ['stored'], refresh: 60 });
    expect(own({ sensu_agent_version: '5.21.0' })).toMatchObject({ handlers: ['told'], refresh: 60 });
  });

  test('a keepalive adds no signature that the agent has not sent', () => {
    const client = clientOfKeepalive(keepalive(), 'web-01', about({ ...stored, signature: 'secret' }));
    expect(client).not.toHaveProperty('signature');
  });

  test('a keepalive from a clock that runs ahead counts as now', () => {
    const client = clientOfKeepalive({ ...keepalive(), timestamp: NOW + 60 }, 'web-01', about());
    expect(client['timestamp']).toBe(NOW);
  });
});

test('a known agent gets its configuration without its state', () => {
  expect(entityConfigOf('shop', stored)).toEqual({
    metadata: { name: 'web-01', namespace: 'shop', labels: { rack: 'r8' } },
    entity_class: 'agent',
    user: '',
    subscriptions: ['db', 'entity:web-01'],
    deregister: false,
    deregistration: {},
  });
});

/** Lookups without any hooks and assets. */
const NONE = { hook: () => undefined, asset: () => undefined };

describe('a check request', () => {
  const request = { name: 'disk', command: 'check-disk', issued: NOW };

  const NOT_SET = {
    high_flap_threshold: 0,
    low_flap_threshold: 0,
    publish: false,
    round_robin: false,
    runtime_assets: null,
    check_hooks: null,
    secrets: null,
    subdue: null,
    output_metric_format: '',
    output_metric_handlers: null,
  };

  test('a check request contains the attributes that agents know, in the types that they parse', () => {
    const definition = {
      command: 'check-disk',
      subscribers: ['web', 'client:a'],
      interval: 60,
      timeout: 2.5,
      ttl: 120,
      stdin: true,
      handlers: ['pager'],
      env_vars: ['A=1'],
      check_hooks: 'no list',
      output_metric_format: 7,
      team: 'ops',
    };
    expect(v2CheckRequest('shop', { ...definition, ...request }, { definition, needs: NONE })).toEqual({
      config: {
        ...NOT_SET,
        metadata: { name: 'disk', namespace: 'shop' },
        command: 'check-disk',
        handlers: ['pager'],
        subscriptions: ['web', 'entity:a'],
        proxy_entity_name: '',
        interval: 60,
        timeout: 3,
        ttl: 120,
        stdin: true,
        env_vars: ['A=1'],
      },
      assets: null,
      hooks: null,
      hook_assets: {},
      issued: NOW,
    });
  });

  test('a check request of a check defined by the v2 API names its creator, subdues and proxy requests', () => {
    const sent: V2Check = {
      metadata: { name: 'disk', namespace: 'shop', labels: { a: 'b' }, created_by: 'ada' },
      subdue: { days: { all: [{ begin: '5:00 PM', end: '6:00 PM' }] } },
      proxy_requests: { entity_attributes: ['true'] },
    };
    const definition = { command: 'x', metadata: { labels: { a: 'b' } } };
    const { config } = v2CheckRequest('shop', { ...definition, ...request }, { definition, stored: sent, needs: NONE });
    expect(config).toMatchObject({
      metadata: { name: 'disk', namespace: 'shop', labels: { a: 'b' }, created_by: 'ada' },
      subdue: sent.subdue,
      proxy_requests: { entity_attributes: ['true'], splay: false, splay_coverage: 0 },
    });
  });

  test('a check request with subscribers of its own names those', () => {
    const ordered = { ...request, subscribers: ['client:web-01'] };
    const source = { definition: { command: 'x', subscribers: ['web'] }, needs: NONE };
    expect(v2CheckRequest('shop', ordered, source)).toMatchObject({ config: { subscriptions: ['entity:web-01'] } });
  });

  test('a check request for a proxy client names that client', () => {
    const { config } = v2CheckRequest(
      'default',
      { ...request, source: 'router' },
      { definition: undefined, needs: NONE },
    );
    expect(config).toMatchObject({ proxy_entity_name: 'router', handlers: null, subscriptions: [] });
  });
});

const defined = (): boolean => true;

describe('an event', () => {
  const check = { metadata: { name: 'disk' }, status: 1, output: 'full' };

  test('an event of a defined check keeps the handlers of the definition, unless it names some', () => {
    expect(resultOfAgentEvent({ check: { ...check, handlers: [] } }, 'a', defined)).not.toHaveProperty('handlers');
    expect(resultOfAgentEvent({ check: { ...check, handlers: ['x'] } }, 'a', defined)?.handlers).toEqual(['x']);
    expect(resultOfAgentEvent({ check: { ...check, handlers: [] } }, 'a', () => false)?.handlers).toEqual([]);
  });

  test.each<{ name: string; event: SubmittedV2Event; source: string | undefined }>([
    { name: 'is its own', event: { check, entity: { metadata: { name: 'a' } } }, source: undefined },
    { name: 'is its own when it names nobody', event: { check }, source: undefined },
    { name: 'is that of the entity', event: { check, entity: { metadata: { name: 'b' } } }, source: 'b' },
    { name: 'is that of the proxy', event: { check: { ...check, proxy_entity_name: 'c' } }, source: 'c' },
    {
      name: 'is that of the proxy rather than of the entity',
      event: { check: { ...check, proxy_entity_name: 'c' }, entity: { metadata: { name: 'b' } } },
      source: 'c',
    },
  ])('the client of an agent event $name', ({ event, source }) => {
    expect(resultOfAgentEvent(event, 'a', defined)?.source).toBe(source);
  });

  test('an agent event without a check is not a result', () => {
    expect(resultOfAgentEvent({ metrics: { points: [] } }, 'a', defined)).toBeUndefined();
  });
});
