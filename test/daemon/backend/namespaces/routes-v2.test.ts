import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { V2Peer } from '../../../support/v2-peer.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
let v2: V2Peer;

const NOT_FOUND = { message: 'not found', code: 2 };

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 } });
  v2 = new V2Peer(backend.url);
});

afterAll(async () => backend[Symbol.asyncDispose]());

test('namespaces can be created, listed and deleted as sensuctl does (clients 6)', async () => {
  expect((await v2.get('/namespaces')).body).toEqual([{ name: 'default' }]);
  expect(await v2.post('/namespaces', { name: 'prod' })).toMatchObject({ status: 201, body: undefined });
  expect(await v2.post('/namespaces', { name: 'prod' })).toMatchObject({
    status: 409,
    body: { message: 'resource already exists', code: 3 },
  });
  expect(await v2.put('/namespaces/dev', { name: 'dev' })).toMatchObject({ status: 201 });
  expect(await v2.put('/namespaces/dev', { name: 'dev' })).toMatchObject({ status: 201 });
  expect((await v2.get('/namespaces')).body).toEqual([{ name: 'default' }, { name: 'dev' }, { name: 'prod' }]);
  expect((await v2.get('/namespaces?limit=2')).headers.get('sensu-continue')).toMatch(/^[\w-]+$/);
  expect((await v2.get('/namespaces/prod')).body).toEqual({ name: 'prod' });
  for (const name of ['prod', 'dev']) {
    expect(await v2.delete(`/namespaces/${name}`)).toMatchObject({ status: 204, body: undefined });
  }
  expect(await v2.delete('/namespaces/prod')).toMatchObject({ status: 404, body: NOT_FOUND });
  expect(await v2.get('/namespaces/prod')).toMatchObject({ status: 404, body: NOT_FOUND });
});

test.each([[{ name: 'a b' }], [{ name: '' }], [{ name: '..' }], [{}], ['x']])(
  'creating the namespace %j is rejected',
  async (body) => {
    expect(await v2.post('/namespaces', body)).toMatchObject({ status: 400, body: { code: 1 } });
  },
);

test('the namespace default cannot be deleted', async () => {
  expect(await v2.delete('/namespaces/default')).toMatchObject({
    status: 400,
    body: { message: 'default cannot be deleted: the v1 API uses it', code: 1 },
  });
});

describe('deleting a namespace that contains objects', () => {
  const metadata = { name: 'x', namespace: 'full' };

  beforeAll(async () => v2.post('/namespaces', { name: 'full' }));

  test.each<[what: string, path: string, body: object]>([
    ['1 check', '/namespaces/full/checks/x', { metadata, command: 'true', interval: 60 }],
    ['1 handler', '/namespaces/full/handlers/x', { metadata, type: 'pipe', command: 'cat' }],
    ['1 filter', '/namespaces/full/filters/x', { metadata, action: 'allow', expressions: ['event.check.status == 0'] }],
    ['1 mutator', '/namespaces/full/mutators/x', { metadata, command: 'cat' }],
    ['1 entity', '/namespaces/full/entities/x', { metadata, entity_class: 'proxy' }],
    [
      '1 silence',
      '/namespaces/full/silenced/a:b',
      { metadata: { name: 'a:b' }, subscription: 'a', check: 'b', reason: 'r' },
    ],
  ])('a namespace that contains %s cannot be deleted', async (what, path, body) => {
    expect((await v2.put(path, body)).status).toBe(path.includes('/entities/') ? 200 : 201);
    expect(await v2.delete('/namespaces/full')).toMatchObject({
      status: 400,
      body: { message: `namespace is not empty: it contains ${what}; delete these first`, code: 1 },
    });
    expect(await v2.delete(path)).toMatchObject({ status: 204 });
  });

  test('the error for deleting a namespace names all kinds of objects in the namespace', async () => {
    await v2.put('/namespaces/full/checks/x', { metadata, command: 'true', interval: 60 });
    await v2.put('/namespaces/full/entities/x', { metadata, entity_class: 'proxy' });
    await v2.put('/namespaces/full/entities/y', { metadata: { ...metadata, name: 'y' }, entity_class: 'proxy' });
    const key = { username: 'admin', scopes: ['read'], namespace: 'full', metadata: {} };
    expect(
      await v2.post('/users', { username: 'admin', password: 'long enough it is', groups: ['cluster-admins'] }),
    ).toMatchObject({ status: 201 });
    const asAdmin = new V2Peer(backend.url, {
      authorization: `Basic ${Buffer.from('admin:long enough it is').toString('base64')}`,
    });
    expect(await asAdmin.post('/apikeys', key)).toMatchObject({ status: 201 });
    expect(await asAdmin.delete('/namespaces/full')).toMatchObject({
      status: 400,
      body: { message: 'namespace is not empty: it contains 1 check, 2 entities, 1 API key; delete these first' },
    });
  });
});
