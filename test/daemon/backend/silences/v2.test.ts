import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { V2Silenced } from '../../../../shared/schemas/v2/silenced.ts';
import { askV1 } from '../../../support/ask-v1.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const NOW = ManualClock.START_MS / 1000;
const SILENCED = '/namespaces/default/silenced';

let clock: ManualClock;
let backend: RunningBackend;
let core: V2Peer;

beforeAll(async () => {
  clock = new ManualClock();
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    settings: { 'silence-policy': { 'max-expire': 86_400 } },
  });
  core = new V2Peer(backend.url);
  await core.post('/namespaces', { name: 'ops' });
});

afterAll(() => backend[Symbol.asyncDispose]());

function legacy(method: string, path: string, body?: unknown): Promise<unknown> {
  return askV1(backend.url, method, path, body);
}

/** As the command-line client sends it. */
const silence = (attributes: Record<string, unknown>): Record<string, unknown> => ({
  metadata: { namespace: 'default' },
  expire: 3600,
  expire_on_resolve: false,
  reason: '',
  begin: 0,
  ...attributes,
});

const namesOf = (body: unknown): readonly string[] => (body as V2Silenced[]).map(({ metadata }) => metadata.name);

describe('a silenced entry', () => {
  test('gets its name from its parts, and is there once', async () => {
    const body = silence({ subscription: 'entity:web-01', check: 'cpu', reason: 'rebooting' });
    expect(await core.post(SILENCED, body)).toMatchObject({ status: 201, body: undefined });
    expect(await core.post(SILENCED, body)).toMatchObject({ status: 409, body: { code: 3 } });
    expect((await core.get(`${SILENCED}/entity:web-01:cpu`)).body).toEqual({
      metadata: { name: 'entity:web-01:cpu', namespace: 'default' },
      expire: 3600,
      expire_at: NOW + 3600,
      expire_on_resolve: false,
      creator: '',
      reason: 'rebooting',
      check: 'cpu',
      subscription: 'entity:web-01',
      begin: NOW,
    });
  });

  test('is found with a colon that is raw or escaped', async () => {
    await core.post(SILENCED, silence({ subscription: 'web', check: 'cpu' }));
    for (const path of [`${SILENCED}/web:cpu`, `${SILENCED}/web%3Acpu`]) {
      expect((await core.get(path)).body).toMatchObject({ metadata: { name: 'web:cpu' } });
    }
    expect((await core.delete(`${SILENCED}/web%3Acpu`)).status).toBe(204);
    expect(await core.delete(`${SILENCED}/web:cpu`)).toMatchObject({ status: 404, body: { code: 2 } });
  });

  test('is replaced by a PUT, which counts anew when its number of seconds changed', async () => {
    const path = `${SILENCED}/*:disk`;
    expect((await core.put(path, silence({ check: 'disk', labels: null }))).status).toBe(201);
    clock.advance(60_000);
    const read = (await core.get(path)).body as V2Silenced;
    expect(read).toMatchObject({ expire: 3600, expire_at: NOW + 3600 });
    await core.put(path, { ...read, reason: 'still' });
    expect((await core.get(path)).body).toEqual({ ...read, reason: 'still' });
    await core.put(path, { ...read, expire: 120 });
    expect((await core.get(path)).body).toMatchObject({ expire: 120, expire_at: NOW + 60 + 120 });
    await core.delete(path);
  });

  test('of the Ansible modules (GET, PUT, GET again) has what was sent', async () => {
    const path = `${SILENCED}/agents%3A%2A`;
    const wanted = {
      subscription: 'agents',
      expire: 120,
      reason: 'rebooting the world',
      metadata: { name: 'agents:*', namespace: 'default' },
    };
    expect((await core.get(path)).status).toBe(404);
    expect((await core.put(path, wanted)).status).toBe(201);
    expect((await core.get(path)).body).toMatchObject(wanted);
    expect((await core.delete(path)).status).toBe(204);
  });

  test('of Nagstamon is put at the name of its check alone', async () => {
    const body = {
      metadata: { name: 'load', namespace: 'default' },
      expire: 600,
      expire_on_resolve: true,
      creator: 'ada',
      reason: 'x',
      check: 'load',
    };
    expect((await core.put(`${SILENCED}/load`, body)).status).toBe(201);
    expect((await core.get(`${SILENCED}/*:load`)).body).toMatchObject({ metadata: { name: '*:load' }, creator: 'ada' });
    await core.delete(`${SILENCED}/*:load`);
  });

  test('ends at the time that was given, and is gone then', async () => {
    const end = clock.now() / 1000 + 90;
    await core.post(SILENCED, silence({ check: 'ends', expire: -1, expire_at: end }));
    expect((await core.get(`${SILENCED}/*:ends`)).body).toMatchObject({ expire_at: end });
    clock.advance(90_000);
    expect((await core.get(`${SILENCED}/*:ends`)).status).toBe(404);
  });

  test.each([
    { name: 'neither part', body: silence({}) },
    { name: 'a name for a check that is none', body: silence({ check: 'a b' }) },
    { name: 'an end that is over', body: silence({ check: 'late', expire_at: 5 }) },
    { name: 'a begin in milliseconds', body: silence({ check: 'late', begin: NOW * 1000 }) },
    { name: 'a text for a number', body: silence({ check: 'late', expire: '60' }) },
  ])('with $name is 400', async ({ body }) => {
    expect(await core.post(SILENCED, body)).toMatchObject({ status: 400, body: { code: 1 } });
  });

  test('that lasts longer than the policy allows is refused with the code for thresholds', async () => {
    for (const body of [silence({ check: 'long', expire: 86_401 }), silence({ check: 'long', expire: -1 })]) {
      expect(await core.post(SILENCED, body)).toMatchObject({ status: 400, body: { code: 9 } });
    }
  });

  test('is stored by what its body names, whatever the path says', async () => {
    expect((await core.put(`${SILENCED}/web:cpu`, silence({ check: 'named' }))).status).toBe(201);
    expect((await core.get(`${SILENCED}/web:cpu`)).status).toBe(404);
    expect((await core.delete(`${SILENCED}/*:named`)).status).toBe(204);
  });

  test('may be of a check with a colon in its name', async () => {
    expect((await core.post(SILENCED, silence({ subscription: 'entity:web-02', check: 'a:b' }))).status).toBe(201);
    expect((await core.get(`${SILENCED}/entity:web-02:a:b`)).body).toMatchObject({
      subscription: 'entity:web-02',
      check: 'a:b',
    });
    expect((await core.delete(`${SILENCED}/entity:web-02:a:b`)).status).toBe(204);
  });
});

describe('lists of silenced entries', () => {
  test('hold those of a namespace, of a check, or of exactly one subscription', async () => {
    for (const parts of [
      { subscription: 'db' },
      { subscription: 'db', check: 'io' },
      { subscription: 'db:eu' },
      { check: 'io' },
    ]) {
      await core.post(SILENCED, silence(parts));
    }
    await core.post('/namespaces/ops/silenced', { ...silence({ check: 'io' }), metadata: { namespace: 'ops' } });
    expect(namesOf((await core.get(`${SILENCED}/checks/io`)).body)).toEqual(['*:io', 'db:io']);
    expect(namesOf((await core.get(`${SILENCED}/subscriptions/db`)).body)).toEqual(['db:*', 'db:io']);
    expect(namesOf((await core.get(`${SILENCED}/subscriptions/none`)).body)).toEqual([]);
    expect(namesOf((await core.get(`${SILENCED}/subscriptions/entity%3Aweb-01`)).body)).toEqual(['entity:web-01:cpu']);
    expect(namesOf((await core.get('/namespaces/ops/silenced')).body)).toEqual(['*:io']);
    expect(namesOf((await core.get('/silenced?fieldSelector=silenced.check%20%3D%3D%20io')).body)).toEqual([
      '*:io',
      'db:io',
      '*:io',
    ]);
  });

  test('are paged', async () => {
    const first = await core.get(`${SILENCED}?limit=3`);
    const rest = await core.get(`${SILENCED}?limit=100&continue=${first.headers.get('Sensu-Continue') ?? ''}`);
    const all = namesOf((await core.get(SILENCED)).body);
    expect([...namesOf(first.body), ...namesOf(rest.body)]).toEqual(all);
    expect(rest.headers.get('Sensu-Continue')).toBeNull();
  });
});

describe('one model, two faces', () => {
  const failing = { source: 'web-09', name: 'disk', output: 'full', status: 2 };

  test('a silence of one machine through one face is seen through the other at once', async () => {
    await legacy('POST', '/results', failing);
    await core.post(SILENCED, silence({ subscription: 'entity:web-09' }));
    expect(await legacy('GET', '/events/web-09/disk')).toMatchObject({
      silenced: true,
      silenced_by: ['client:web-09:*'],
    });
    expect(await legacy('GET', '/silenced/ids/client:web-09:*')).toMatchObject({ subscription: 'client:web-09' });
    expect((await core.get('/namespaces/default/events/web-09/disk')).body).toMatchObject({
      check: { is_silenced: true, silenced: ['entity:web-09:*'] },
    });
    await legacy('POST', '/silenced/clear', { id: 'client:web-09:*' });
    expect((await core.get(`${SILENCED}/entity:web-09:*`)).status).toBe(404);
    await legacy('POST', '/silenced', { subscription: 'client:web-09', check: 'disk', expire: 60, creator: 'bob' });
    expect((await core.get(`${SILENCED}/entity:web-09:disk`)).body).toMatchObject({ expire: 60, creator: 'bob' });
    expect((await core.delete(`${SILENCED}/entity:web-09:disk`)).status).toBe(204);
    expect(await legacy('GET', '/events/web-09/disk')).toMatchObject({ silenced: false });
  });

  test('a silence of another namespace keeps nothing back here', async () => {
    await core.post('/namespaces/ops/silenced', { ...silence({ check: 'disk' }), metadata: { namespace: 'ops' } });
    expect(await legacy('GET', '/events/web-09/disk')).toMatchObject({ silenced: false });
    expect(await legacy('GET', '/silenced/ids/*:disk')).toBe(404);
  });

  test('one that ends with the event does, whichever face resolves it', async () => {
    await core.post(SILENCED, silence({ subscription: 'entity:web-09', check: 'disk', expire_on_resolve: true }));
    const path = '/namespaces/default/events/web-09/disk';
    const { body } = await core.get(path);
    const { check, ...event } = body as { readonly check: object };
    await core.put(path, { ...event, check: { ...check, status: 0, output: 'Resolved manually by sensuctl' } });
    expect((await core.get(`${SILENCED}/entity:web-09:disk`)).status).toBe(404);
  });
});

describe('where credentials are asked for, and the policy applies to everybody', () => {
  test('the creator is who is authenticated, and a reason is required', async () => {
    await using guarded = await startBackend({
      clock: new ManualClock(),
      batcher: { batchLimit: 1 },
      settings: { api: { user: 'ada', password: 'correct horse' }, 'silence-policy': { 'apply-to-legacy': true } },
    });
    const token = Buffer.from('ada:correct horse').toString('base64');
    const ada = new V2Peer(guarded.url, { Authorization: `Basic ${token}` });
    expect((await new V2Peer(guarded.url).post(SILENCED, silence({ check: 'cpu' }))).status).toBe(401);
    expect(await ada.post(SILENCED, silence({ check: 'cpu' }))).toMatchObject({ status: 400, body: { code: 1 } });
    expect((await ada.post(SILENCED, silence({ check: 'cpu', reason: 'x', creator: 'bob' }))).status).toBe(201);
    expect((await ada.get(`${SILENCED}/*:cpu`)).body).toMatchObject({
      creator: 'ada',
      metadata: { created_by: 'ada' },
    });
    expect((await ada.patch(`${SILENCED}/*:cpu`, { reason: 'y', creator: 'bob' })).body).toMatchObject({
      reason: 'y',
      creator: 'ada',
    });
  });
});
