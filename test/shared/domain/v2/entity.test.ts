import { describe, expect, test } from 'vitest';
import { clientOfEntity, v2EntityOf } from '../../../../shared/domain/v2/entity.ts';
import { clientSchema, type Client } from '../../../../shared/schemas/client.ts';
import { v2EntitySchema } from '../../../../shared/schemas/v2/entity.ts';

const NOW = 1_800_000_000;

/** Returns the client that the body of a request creates. */
function clientOf(body: object, present?: Client, createdBy?: string, source: 'put' | 'event' = 'event'): Client {
  const entity = v2EntitySchema.parse({ entity_class: 'proxy', ...body });
  return clientOfEntity(entity, { present, now: NOW, version: '1.9.0', createdBy, source });
}

const NO_SYSTEM = {
  network: { interfaces: null },
  libc_type: '',
  vm_system: '',
  vm_role: '',
  cloud_provider: '',
  processes: null,
};

/** A client as a Sensu Core agent describes itself. */
const AGENT: Client = {
  name: 'web-01',
  address: '10.0.0.7',
  subscriptions: ['linux', 'client:web-01'],
  timestamp: NOW - 5,
  version: '1.9.0',
  keepalive: { thresholds: { warning: 60, critical: 90 }, handler: 'pager' },
  environment: 'production',
  deregister: true,
};

describe('a client as an entity', () => {
  test('a Sensu Core client as an entity shows the v2 fields and its own attributes by their names', () => {
    expect(v2EntityOf('default', AGENT)).toEqual({
      metadata: { name: 'web-01', namespace: 'default' },
      entity_class: 'agent',
      system: NO_SYSTEM,
      subscriptions: ['linux', 'entity:web-01'],
      last_seen: NOW - 5,
      deregister: true,
      deregistration: {},
      sensu_agent_version: '1.9.0',
      keepalive_handlers: ['pager'],
      environment: 'production',
    });
  });

  test('a client that was created by results with a source is a proxy entity in the v2 API', () => {
    const proxy = { ...AGENT, type: 'proxy', keepalives: false };
    expect(v2EntityOf('ops', proxy)).toMatchObject({ entity_class: 'proxy', sensu_agent_version: '' });
  });

  test('a client whose attributes do not have the types of an entity is still readable in the v2 API', () => {
    const odd = { ...AGENT, labels: 'none', annotations: { size: 5 }, system: 7, deregistration: [] };
    expect(v2EntityOf('default', odd)).toMatchObject({
      metadata: { name: 'web-01', namespace: 'default' },
      system: NO_SYSTEM,
      deregistration: {},
    });
  });
});

describe('a new entity of the v2 API', () => {
  const body = {
    metadata: { name: 'router-1', namespace: 'default', labels: { site: 'lab' }, annotations: null },
    entity_class: 'proxy',
    subscriptions: ['network'],
    system: {
      hostname: 'router-1',
      network: {
        interfaces: [
          { name: 'lo', addresses: ['127.0.0.1/8'] },
          { name: 'eth0', addresses: ['10.1.2.3/24'] },
        ],
      },
    },
    last_seen: 1_522_798_317,
    deregister: true,
    deregistration: { handler: 'email' },
    redact: ['password'],
    user: 'agent',
    rack: 'R7',
  };

  test('a new entity of the v2 API is a client with its own subscription and its address', () => {
    const client = clientOf(body, undefined, 'ada');
    expect(client).toMatchObject({
      name: 'router-1',
      address: '10.1.2.3',
      subscriptions: ['network', 'client:router-1'],
      type: 'proxy',
      keepalives: false,
      timestamp: 1_522_798_317,
      version: '1.9.0',
    });
    expect(clientSchema.safeParse(client).success).toBe(true);
  });

  test('a new entity of the v2 API is shown with the types with which it was sent', () => {
    const { metadata, ...attributes } = body;
    const { name, namespace, labels } = metadata;
    const shown = {
      ...attributes,
      metadata: { name, namespace, labels },
      system: { ...NO_SYSTEM, ...body.system },
      sensu_agent_version: '',
    };
    expect(v2EntityOf('default', clientOf(body, undefined, 'ada', 'put'))).toEqual(shown);
    // An entity that an event creates has a creator and the subscription with its own name.
    expect(v2EntityOf('default', clientOf(body, undefined, 'ada'))).toEqual({
      ...shown,
      metadata: { ...shown.metadata, created_by: 'ada' },
      subscriptions: ['network', 'entity:router-1'],
    });
  });

  test('a new entity of the v2 API without subscriptions and last_seen is stored without them', () => {
    const put = clientOf({ metadata: { name: 'x' } }, undefined, undefined, 'put');
    expect(v2EntityOf('default', put)).toMatchObject({ subscriptions: null, last_seen: 0 });
    // The stored client has a subscription and a time, because silences and agents with the same name rely on them.
    expect(put).toMatchObject({ subscriptions: ['client:x'], timestamp: NOW });
  });

  test('a new entity of the v2 API requires only a name', () => {
    expect(clientOf({ metadata: { name: 'x' } })).toEqual({
      name: 'x',
      address: 'unknown',
      subscriptions: ['client:x'],
      entity_class: 'proxy',
      type: 'proxy',
      keepalives: false,
      version: '1.9.0',
      timestamp: NOW,
      // As in Sensu Go, an event does not update the last-seen time of its entity.
      last_seen: 0,
    });
  });

  test('a new entity of the v2 API cannot have a last_seen in the future', () => {
    expect(clientOf({ metadata: { name: 'x' }, last_seen: NOW + 999 }).timestamp).toBe(NOW);
  });

  test('a new entity of the v2 API cannot set attributes that only the v1 API has', () => {
    const client = clientOf({ metadata: { name: 'x' }, signature: 's', socket: 5, address: 7, keepalives: 'yes' });
    expect(client).not.toHaveProperty('signature');
    expect(client).not.toHaveProperty('socket');
    expect(client).toMatchObject({ address: 'unknown', keepalives: false });
  });
});

describe('an entity that replaces a client', () => {
  const put = { metadata: { name: 'web-01', labels: { region: 'eu' } }, entity_class: 'agent', subscriptions: ['web'] };

  test('an entity that replaces a client sets the v2 attributes and leaves attributes that only the v1 API has', () => {
    expect(clientOf(put, AGENT)).toEqual({
      last_seen: 0,
      name: 'web-01',
      address: '10.0.0.7',
      subscriptions: ['web', 'client:web-01'],
      timestamp: NOW - 5,
      version: '1.9.0',
      keepalive: { thresholds: { warning: 60, critical: 90 }, handler: 'pager' },
      keepalives: undefined,
      environment: 'production',
      labels: { region: 'eu' },
      entity_class: 'agent',
      sent_subscriptions: ['web'],
    });
  });

  test('an entity that replaces a client does not count as a keepalive', () => {
    expect(clientOf({ ...put, last_seen: 7 }, AGENT).timestamp).toBe(NOW - 5);
    expect(clientOf({ ...put, last_seen: 7 }, { ...AGENT, keepalives: false }).timestamp).toBe(7);
  });

  test('an entity that replaces a client removes a custom attribute with null', () => {
    expect(clientOf({ ...put, environment: null }, AGENT)).not.toHaveProperty('environment');
    expect(clientOf({ ...put, environment: 'test' }, AGENT)).toHaveProperty('environment', 'test');
  });

  test('an entity that replaces a client sets the keepalive handlers and leaves the thresholds', () => {
    expect(clientOf({ ...put, keepalive_handlers: ['slack'] }, AGENT)['keepalive']).toEqual({
      thresholds: { warning: 60, critical: 90 },
      handler: 'pager',
      handlers: ['slack'],
    });
  });

  test('an entity that is read from the v2 API and put back changes nothing', () => {
    const read = v2EntityOf('default', AGENT);
    const again = clientOf(read, AGENT);
    expect(v2EntityOf('default', again)).toEqual(read);
    expect(again).toMatchObject({
      address: AGENT.address,
      timestamp: AGENT.timestamp,
      subscriptions: AGENT.subscriptions,
    });
  });
});

test.each([
  [{ metadata: { name: 'a b' } }],
  [{ metadata: { name: 'x' }, entity_class: '' }],
  [{ metadata: { name: 'x' }, subscriptions: 'a' }],
  [{ metadata: { name: 'x' }, last_seen: 'now' }],
  [{ metadata: { name: 'x' }, redact: 'password' }],
  [{ metadata: { name: 'x', labels: { a: 1 } } }],
])('the object %j is rejected as an entity of the v2 API', (body) => {
  expect(v2EntitySchema.safeParse({ entity_class: 'proxy', ...body }).success).toBe(false);
});
