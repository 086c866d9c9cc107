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
const resultContext = (present?: Client) => ({ present, now: NOW, version: '1.9.0', isConfigurable: true });

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

describe('frames of v2 agents', () => {
  test('a frame of a v2 agent that is written parses back to its type and payload', () => {
    const payloads = fc.jsonValue();
    fc.assert(
      fc.property(fc.stringMatching(/^\w{1,64}$/), payloads, (type, payload) => {
        const frame = parseAgentFrame(agentFrame(type, payload));
        expect(frame?.type).toBe(type);
        expect(JSON.stringify(JSON.parse(frame?.payload ?? ''))).toBe(JSON.stringify(payload));
      }),
    );
  });

  test.each(['', '\n', '\n{}', '{}', `${'x'.repeat(65)}\n{}`])('the agent frame %j has no message type', (text) => {
    expect(parseAgentFrame(text)).toBeUndefined();
  });
});

describe('a keepalive of a v2 agent', () => {
  test('a keepalive of a v2 agent creates the client that it describes', () => {
    expect(clientOfKeepalive(keepalive({ timeout: 40, ttl: 80 }), 'web-01', resultContext())).toMatchObject({
      name: 'web-01',
      subscriptions: ['web', 'client:web-01'],
      labels: { rack: 'r7' },
      keepalives: true,
      timestamp: NOW - 3,
      keepalive: { interval: 20, timeout: 40, ttl: 80 },
    });
  });

  test('a keepalive of a v2 agent replaces the stored keepalive thresholds', () => {
    const present = { ...stored, keepalive: { thresholds: { warning: 1, critical: 2 }, refresh: 60 } };
    const { keepalive: own } = clientOfKeepalive(keepalive({ timeout: 60 }), 'web-01', resultContext(present));
    expect(own).toEqual({ refresh: 60, interval: 20, timeout: 60, ttl: 0 });
  });

  test.each<{ name: string; handlers: string[]; expected: string[] | undefined }>([
    { name: 'the handlers of the agent apply', handlers: ['pager'], expected: ['pager'] },
    {
      name: 'the default handler keepalive is not stored with the client',
      handlers: ['keepalive'],
      expected: undefined,
    },
    { name: 'an empty list sets no handlers', handlers: [], expected: undefined },
  ])('a keepalive of a v2 agent sets the keepalive handlers: $name', ({ handlers, expected }) => {
    const { keepalive: own } = clientOfKeepalive(keepalive({ handlers }), 'web-01', resultContext());
    expect(own?.['handlers']).toEqual(expected);
  });

  test.each<{
    name: string;
    present: Client;
    entity: SubmittedV2Event['entity'];
    subscriptions: string[];
  }>([
    {
      name: 'the backend keeps the subscriptions of a known agent',
      present: stored,
      entity: {},
      subscriptions: ['db', 'client:web-01'],
    },
    {
      name: 'an agent of version 5 sets its own subscriptions',
      present: stored,
      entity: { sensu_agent_version: '5.21.0' },
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'an agent with managed_by: sensu-agent sets its own subscriptions',
      present: stored,
      entity: { metadata: { name: 'web-01', labels: { 'sensu.io/managed_by': 'sensu-agent' } } },
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'an agent sets the subscriptions of a client that results have created',
      present: { ...stored, entity_class: undefined, keepalives: false, subscriptions: ['client:web-01'] },
      entity: {},
      subscriptions: ['web', 'client:web-01'],
    },
    {
      name: 'an agent sets the subscriptions of a proxy client that it takes over',
      present: { ...stored, entity_class: 'proxy', type: 'proxy', keepalives: false },
      entity: {},
      subscriptions: ['web', 'client:web-01'],
    },
  ])(
    'a keepalive of a v2 agent sets or keeps the subscriptions of the client: $name',
    ({ present, entity, subscriptions }) => {
      const client = clientOfKeepalive(keepalive({}, entity), 'web-01', resultContext(present));
      expect(client.subscriptions).toEqual(subscriptions);
      expect(client['type']).toBeUndefined();
      expect(client.keepalives).toBe(true);
    },
  );

  test.each<{ version: string | null; isConfigurable: boolean; subscription: string }>([
    { version: '', isConfigurable: false, subscription: 'web' },
    { version: null, isConfigurable: false, subscription: 'web' },
    { version: null, isConfigurable: true, subscription: 'db' },
    { version: '5.21.0', isConfigurable: true, subscription: 'web' },
    { version: '6.2.4', isConfigurable: false, subscription: 'db' },
  ])(
    'a v2 agent of version $version (configured by the backend: $isConfigurable) has the subscription $subscription',
    ({ version, ...how }) => {
      const event = keepalive({}, { sensu_agent_version: version });
      const client = clientOfKeepalive(event, 'web-01', {
        ...resultContext(stored),
        isConfigurable: how.isConfigurable,
      });
      expect(client.subscriptions).toEqual([how.subscription, 'client:web-01']);
    },
  );

  test('a keepalive of a v2 agent leaves the stored handlers unchanged unless the agent has version 5', () => {
    const present = { ...stored, keepalive: { handlers: ['stored'], refresh: 60 } };
    const own = (entity = {}): unknown =>
      clientOfKeepalive(keepalive({ handlers: ['told'] }, entity), 'web-01', resultContext(present)).keepalive;
    expect(own()).toMatchObject({ handlers: ['stored'], refresh: 60 });
    expect(own({ sensu_agent_version: '5.21.0' })).toMatchObject({ handlers: ['told'], refresh: 60 });
  });

  test('a keepalive of a v2 agent adds no signature to the client if the agent has sent none', () => {
    const client = clientOfKeepalive(keepalive(), 'web-01', resultContext({ ...stored, signature: 'secret' }));
    expect(client).not.toHaveProperty('signature');
  });

  test('a keepalive of a v2 agent whose clock is ahead counts as sent now', () => {
    const client = clientOfKeepalive({ ...keepalive(), timestamp: NOW + 60 }, 'web-01', resultContext());
    expect(client['timestamp']).toBe(NOW);
  });
});

test('a known v2 agent gets its entity configuration without state', () => {
  expect(entityConfigOf('shop', stored)).toEqual({
    metadata: { name: 'web-01', namespace: 'shop', labels: { rack: 'r8' } },
    entity_class: 'agent',
    user: '',
    subscriptions: ['db', 'entity:web-01'],
    deregister: false,
    deregistration: {},
  });
});

/** Lookups that find no hooks and no assets. */
const NONE = { hook: () => undefined, asset: () => undefined };

describe('a check request to a v2 agent', () => {
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

  test('a check request to v2 agents with its own subscribers names these subscribers', () => {
    const ordered = { ...request, subscribers: ['client:web-01'] };
    const source = { definition: { command: 'x', subscribers: ['web'] }, needs: NONE };
    expect(v2CheckRequest('shop', ordered, source)).toMatchObject({ config: { subscriptions: ['entity:web-01'] } });
  });

  test('a check request to a v2 agent for a proxy client names the proxy client', () => {
    const { config } = v2CheckRequest(
      'default',
      { ...request, source: 'router' },
      { definition: undefined, needs: NONE },
    );
    expect(config).toMatchObject({ proxy_entity_name: 'router', handlers: null, subscriptions: [] });
  });
});

const defined = (): boolean => true;

describe('an event of a v2 agent', () => {
  const check = { metadata: { name: 'disk' }, status: 1, output: 'full' };

  test('an agent event of a defined check keeps the handlers of the definition unless the event names handlers', () => {
    expect(resultOfAgentEvent({ check: { ...check, handlers: [] } }, 'a', defined)).not.toHaveProperty('handlers');
    expect(resultOfAgentEvent({ check: { ...check, handlers: ['x'] } }, 'a', defined)?.handlers).toEqual(['x']);
    expect(resultOfAgentEvent({ check: { ...check, handlers: [] } }, 'a', () => false)?.handlers).toEqual([]);
  });

  test.each<{ name: string; event: SubmittedV2Event; source: string | undefined }>([
    { name: 'is the agent itself', event: { check, entity: { metadata: { name: 'a' } } }, source: undefined },
    { name: 'is the agent itself if the event names no entity', event: { check }, source: undefined },
    { name: 'is the entity of the event', event: { check, entity: { metadata: { name: 'b' } } }, source: 'b' },
    { name: 'is the proxy entity of the check', event: { check: { ...check, proxy_entity_name: 'c' } }, source: 'c' },
    {
      name: 'is the proxy entity of the check in preference to the entity of the event',
      event: { check: { ...check, proxy_entity_name: 'c' }, entity: { metadata: { name: 'b' } } },
      source: 'c',
    },
  ])('the client of an agent event $name', ({ event, source }) => {
    expect(resultOfAgentEvent(event, 'a', defined)?.source).toBe(source);
  });

  test('an event of a v2 agent without a check yields no result', () => {
    expect(resultOfAgentEvent({ metrics: { points: [] } }, 'a', defined)).toBeUndefined();
  });
});
