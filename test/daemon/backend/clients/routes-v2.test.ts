import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { V2Entity } from '../../../../shared/schemas/v2/entity.ts';
import { askV1 } from '../../../support/ask-v1.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const ENTITIES = '/namespaces/default/entities';

let backend: RunningBackend;
let v2: V2Peer;

beforeAll(async () => {
  const settings = { 'entity-limit': 12 };
  backend = await startBackend({ clock: new ManualClock(), batcher: { batchLimit: 1 }, settings });
  v2 = new V2Peer(backend.url);
  for (const name of ['ops', 'empty']) await v2.post('/namespaces', { name });
});

afterAll(() => backend[Symbol.asyncDispose]());

/** Sends a request to the v1 API. */
function v1(method: string, path: string, body?: unknown): Promise<unknown> {
  return askV1(backend.url, method, path, body);
}

const proxy = (name: string, namespace = 'default'): Record<string, unknown> => ({
  metadata: { name, namespace },
  entity_class: 'proxy',
});

/** The entity `router-1` as the v2 API shows it: without subscriptions or keepalives. */
const SHOWN = {
  metadata: { name: 'router-1', namespace: 'default' },
  entity_class: 'proxy',
  system: {
    network: { interfaces: null },
    libc_type: '',
    vm_system: '',
    vm_role: '',
    cloud_provider: '',
    processes: null,
  },
  subscriptions: null,
  last_seen: 0,
  deregister: false,
  deregistration: {},
  sensu_agent_version: '',
};

describe('an entity', () => {
  test('an entity is returned as it was sent, and a second entity of the same name is rejected', async () => {
    const made = await v2.post(ENTITIES, proxy('router-1'));
    expect(made).toMatchObject({ status: 200, body: SHOWN });
    expect(await v2.post(ENTITIES, proxy('router-1'))).toMatchObject({
      status: 409,
      body: { message: 'resource already exists', code: 3 },
    });
    expect(await v2.get(`${ENTITIES}/router-1`)).toMatchObject({
      status: 200,
      body: SHOWN,
    });
  });

  test('an entity that was put is returned with the same values and types', async () => {
    const path = `${ENTITIES}/sync-1`;
    const wanted = {
      metadata: { name: 'sync-1', namespace: 'default', labels: { site: 'lab' } },
      entity_class: 'proxy',
      system: {
        hostname: 'sync-1',
        os: 'linux',
        network: { interfaces: [{ name: 'eth0', addresses: ['10.1.2.3/24'] }] },
      },
      last_seen: 1_522_798_317,
      deregister: true,
      deregistration: { handler: 'email-handler' },
      redact: ['password', 'pass'],
      user: 'agent',
    };
    expect((await v2.get(path)).status).toBe(404);
    expect(await v2.put(path, wanted)).toMatchObject({ status: 200, body: wanted });
    expect((await v2.get(path)).body).toMatchObject(wanted);
    expect((await v2.put(path, { ...wanted, redact: [], deregister: false })).status).toBe(200);
    expect((await v2.get(path)).body).toMatchObject({ redact: [], deregister: false });
  });

  test('an entity can be changed by a merge patch, and its ETag prevents lost updates', async () => {
    await v2.post(ENTITIES, proxy('patched'));
    const read = await v2.get(`${ENTITIES}/patched`);
    const etag = read.headers.get('ETag') ?? '';
    const patched = await v2.patch(`${ENTITIES}/patched`, {
      metadata: { labels: { a: 'b' } },
      subscriptions: ['web'],
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { metadata: { labels: { a: 'b' } }, subscriptions: ['web', 'entity:patched'] },
    });
    const late = await v2.send('PUT', `${ENTITIES}/patched`, proxy('patched'), { 'If-Match': etag });
    expect(late).toMatchObject({ status: 412, body: { code: 7 } });
    const now = patched.headers.get('ETag') ?? '';
    expect((await v2.send('PUT', `${ENTITIES}/patched`, proxy('patched'), { 'If-Match': now })).status).toBe(200);
  });

  test('an entity keeps its secrets when a client puts its redacted form back', async () => {
    const path = `${ENTITIES}/secretive`;
    await v2.put(path, { ...proxy('secretive'), password: 'hush', metadata: { name: 'secretive' } });
    const { body } = await v2.get(path);
    expect(body).toMatchObject({ password: 'REDACTED' });
    await v2.put(path, body);
    await v2.patch(path, { redact: ['nothing'] });
    expect((await v2.get(path)).body).toMatchObject({ password: 'hush' });
  });

  test('a DELETE of an entity with a content type and no body returns 204', async () => {
    await v2.post(ENTITIES, proxy('gone'));
    expect(await v2.delete(`${ENTITIES}/gone`)).toMatchObject({ status: 204, body: undefined });
    expect(await v2.delete(`${ENTITIES}/gone`)).toMatchObject({
      status: 404,
      body: { message: 'not found', code: 2 },
    });
    expect((await v2.get(`${ENTITIES}/gone`)).status).toBe(404);
  });

  test.each([
    { name: 'an invalid name', body: { metadata: { name: 'a b' } } },
    { name: 'no entity class', body: { metadata: { name: 'x' }, entity_class: '' } },
    { name: 'no name', body: { metadata: {} } },
    { name: 'subscriptions that are not a list', body: { metadata: { name: 'x' }, subscriptions: 'web' } },
    { name: 'another namespace than the path', body: { metadata: { name: 'x', namespace: 'ops' } } },
  ])('storing an entity with $name returns 400', async ({ body }) => {
    const sent = { entity_class: 'proxy', ...body };
    expect(await v2.post(ENTITIES, sent)).toMatchObject({ status: 400, body: { code: 1 } });
  });

  test('an entity is stored under the name in its body, and not stored in a missing namespace', async () => {
    expect(await v2.put(`${ENTITIES}/x`, proxy('y'))).toMatchObject({
      status: 200,
      body: { metadata: { name: 'y' } },
    });
    expect((await v2.get(`${ENTITIES}/x`)).status).toBe(404);
    expect((await v2.delete(`${ENTITIES}/y`)).status).toBe(204);
    expect(await v2.put('/namespaces/nope/entities/x', proxy('x', 'nope'))).toMatchObject({
      status: 404,
      body: { code: 2 },
    });
  });
});

describe('the list of entities', () => {
  test('the list of entities is sorted by namespace and name and paginated', async () => {
    for (const name of ['a', 'b', 'c']) await v2.post('/namespaces/ops/entities', proxy(`page-${name}`, 'ops'));
    const names: string[] = [];
    let path = '/namespaces/ops/entities?limit=2';
    for (let page = 0; page < 5 && path !== ''; page++) {
      const { body, headers } = await v2.get(path);
      names.push(...(body as V2Entity[]).map(({ metadata }) => metadata.name));
      const next = headers.get('Sensu-Continue');
      path = next === null ? '' : `/namespaces/ops/entities?limit=2&continue=${next}`;
    }
    expect(names).toEqual(['page-a', 'page-b', 'page-c']);
    for (const name of names) await v2.delete(`/namespaces/ops/entities/${name}`);
    expect(await v2.get('/namespaces/ops/entities')).toMatchObject({ status: 200, body: [] });
  });

  test('the list of entities over all namespaces can be filtered by fields and labels', async () => {
    await v2.post('/namespaces/ops/entities', { ...proxy('router-1', 'ops'), subscriptions: ['selected'] });
    await v2.patch('/namespaces/ops/entities/router-1', { metadata: { labels: { region: 'eu' } } });
    const select = async (query: string): Promise<readonly string[]> => {
      const { body } = await v2.get(`/entities?${new URLSearchParams(query).toString()}`);
      return (body as V2Entity[]).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    };
    expect(await select('fieldSelector=entity.name == router-1')).toEqual(['default/router-1', 'ops/router-1']);
    expect(await select('labelSelector=region == eu')).toEqual(['ops/router-1']);
    expect(await select('fieldSelector=selected in entity.subscriptions')).toEqual(['ops/router-1']);
    await v2.delete('/namespaces/ops/entities/router-1');
  });
});

describe('clients of the v1 API and entities of the v2 API', () => {
  test('a client created over the v1 API is an entity of the v2 API at once, and vice versa', async () => {
    await v1('POST', '/clients', {
      name: 'old-1',
      address: '10.0.0.9',
      subscriptions: ['linux'],
      environment: 'dev',
    });
    expect((await v2.get(`${ENTITIES}/old-1`)).body).toMatchObject({
      entity_class: 'agent',
      subscriptions: ['linux', 'entity:old-1'],
      environment: 'dev',
    });
    await v2.patch(`${ENTITIES}/old-1`, { subscriptions: ['web'] });
    expect(await v1('GET', '/clients/old-1')).toMatchObject({
      address: '10.0.0.9',
      subscriptions: ['web', 'client:old-1'],
      environment: 'dev',
    });
    expect((await v2.patch(`${ENTITIES}/old-1`, { environment: null })).body).not.toHaveProperty('environment');
    expect(await v1('GET', '/clients/old-1')).not.toHaveProperty('environment');
    await v2.post(ENTITIES, { ...proxy('new-1'), subscriptions: ['web'] });
    expect(await v1('GET', '/clients/new-1')).toMatchObject({
      name: 'new-1',
      type: 'proxy',
      subscriptions: ['web', 'client:new-1'],
    });
  });

  test('deleting an entity deletes the events of the entity', async () => {
    await v2.post(ENTITIES, proxy('doomed'));
    await v1('POST', '/results', { source: 'doomed', name: 'disk', output: 'full', status: 2 });
    expect(await v1('GET', '/events/doomed')).toHaveLength(1);
    expect((await v2.delete(`${ENTITIES}/doomed`)).status).toBe(204);
    expect(await v1('GET', '/events/doomed')).toEqual([]);
    expect(await v1('GET', '/clients/doomed')).toBe(404);
  });

  test('entities of other namespaces than default do not appear as clients in the v1 API', async () => {
    await v2.post('/namespaces/ops/entities', proxy('elsewhere', 'ops'));
    expect(await v1('GET', '/clients/elsewhere')).toBe(404);
    await v2.delete('/namespaces/ops/entities/elsewhere');
  });
});

test('a namespace that contains an entity cannot be deleted', async () => {
  await v2.post('/namespaces/ops/entities', proxy('holder', 'ops'));
  expect((await v2.delete('/namespaces/ops')).status).toBeGreaterThanOrEqual(400);
  await v2.delete('/namespaces/ops/entities/holder');
  expect((await v2.delete('/namespaces/empty')).status).toBe(204);
});

describe('the entity limit', () => {
  test('the entity limit rejects new entities with the error of Sensu Go, and existing entities can be changed', async () => {
    // The entity limit counts all entities that the v2 API shows, but not the clients that the v1 API created.
    const count = async (): Promise<number> => Number((await v2.get('/entities')).headers.get('Sensu-Entity-Count'));
    while ((await count()) < 12) await v2.post(ENTITIES, proxy(`filler-${String(await count())}`));
    expect(await v2.post(ENTITIES, proxy('one-more'))).toMatchObject({ status: 402, body: { code: 6 } });
    expect((await v2.put(`${ENTITIES}/router-1`, proxy('router-1'))).status).toBe(200);
    const event = { entity: { metadata: { name: 'one-more' } }, check: { metadata: { name: 'cpu' } } };
    expect((await v2.post('/namespaces/default/events', event)).status).toBe(402);
    const { headers } = await v2.get(ENTITIES);
    expect(headers.get('Sensu-Entity-Count')).toBe('12');
    expect(headers.get('Sensu-Entity-Limit')).toBe('12');
    expect(headers.get('Sensu-Entity-Warning')).toContain('12/12');
    expect(await v1('POST', '/clients', { name: 'legacy-more', address: 'x' })).toEqual({ name: 'legacy-more' });
  });
});
