import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { V2Silenced } from '../../../../shared/schemas/v2/silenced.ts';
import { askV1 } from '../../../support/ask-v1.ts';
import { runMonctl } from '../../../support/run-monctl.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const NOW = ManualClock.START_MS / 1000;
const SILENCED = '/namespaces/default/silenced';

let clock: ManualClock;
let backend: RunningBackend;
let v2: V2Peer;

beforeAll(async () => {
  clock = new ManualClock();
  backend = await startBackend({
    clock,
    batcher: { batchLimit: 1 },
    settings: { 'silence-policy': { 'max-expire': 86_400 } },
  });
  v2 = new V2Peer(backend.url);
  await v2.post('/namespaces', { name: 'ops' });
});

afterAll(() => backend[Symbol.asyncDispose]());

function v1(method: string, path: string, body?: unknown): Promise<unknown> {
  return askV1(backend.url, method, path, body);
}

/** Returns the body of a silence as `sensuctl` sends it. */
const silence = (attributes: Record<string, unknown>): Record<string, unknown> => ({
  metadata: { namespace: 'default' },
  expire: 3600,
  expire_on_resolve: false,
  reason: '',
  begin: 0,
  ...attributes,
});

const namesOf = (body: unknown): readonly string[] => (body as V2Silenced[]).map(({ metadata }) => metadata.name);

describe('a silence of the v2 API', () => {
  test('a silence is named after its subscription and check, and a second one of the same name is rejected', async () => {
    const body = silence({ subscription: 'entity:web-01', check: 'cpu', reason: 'rebooting' });
    expect(await v2.post(SILENCED, body)).toMatchObject({ status: 201, body: undefined });
    expect(await v2.post(SILENCED, body)).toMatchObject({ status: 409, body: { code: 3 } });
    expect((await v2.get(`${SILENCED}/entity:web-01:cpu`)).body).toEqual({
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

  test('a silence can be read and deleted by a path with raw or escaped colons', async () => {
    await v2.post(SILENCED, silence({ subscription: 'web', check: 'cpu' }));
    for (const path of [`${SILENCED}/web:cpu`, `${SILENCED}/web%3Acpu`]) {
      expect((await v2.get(path)).body).toMatchObject({ metadata: { name: 'web:cpu' } });
    }
    expect((await v2.delete(`${SILENCED}/web%3Acpu`)).status).toBe(204);
    expect(await v2.delete(`${SILENCED}/web:cpu`)).toMatchObject({ status: 404, body: { code: 2 } });
  });

  test('a PUT replaces a silence, and the silence lasts anew only if its number of seconds changed', async () => {
    const path = `${SILENCED}/*:disk`;
    expect((await v2.put(path, silence({ check: 'disk', labels: null }))).status).toBe(201);
    clock.advance(60_000);
    const read = (await v2.get(path)).body as V2Silenced;
    expect(read).toMatchObject({ expire: 3600, expire_at: NOW + 3600 });
    await v2.put(path, { ...read, reason: 'still' });
    expect((await v2.get(path)).body).toEqual({ ...read, reason: 'still' });
    await v2.put(path, { ...read, expire: 120 });
    expect((await v2.get(path)).body).toMatchObject({ expire: 120, expire_at: NOW + 60 + 120 });
    await v2.delete(path);
  });

  test('a silence that the Ansible modules put is returned with the same attributes', async () => {
    const path = `${SILENCED}/agents%3A%2A`;
    const wanted = {
      subscription: 'agents',
      expire: 120,
      reason: 'rebooting the world',
      metadata: { name: 'agents:*', namespace: 'default' },
    };
    expect((await v2.get(path)).status).toBe(404);
    expect((await v2.put(path, wanted)).status).toBe(201);
    expect((await v2.get(path)).body).toMatchObject(wanted);
    expect((await v2.delete(path)).status).toBe(204);
  });

  test('Nagstamon can put a silence under the name of its check alone', async () => {
    const body = {
      metadata: { name: 'load', namespace: 'default' },
      expire: 600,
      expire_on_resolve: true,
      creator: 'ada',
      reason: 'x',
      check: 'load',
    };
    expect((await v2.put(`${SILENCED}/load`, body)).status).toBe(201);
    expect((await v2.get(`${SILENCED}/*:load`)).body).toMatchObject({ metadata: { name: '*:load' }, creator: 'ada' });
    await v2.delete(`${SILENCED}/*:load`);
  });

  test('a silence with expire_at expires at that time and can no longer be read', async () => {
    const end = clock.now() / 1000 + 90;
    await v2.post(SILENCED, silence({ check: 'ends', expire: -1, expire_at: end }));
    expect((await v2.get(`${SILENCED}/*:ends`)).body).toMatchObject({ expire_at: end });
    clock.advance(90_000);
    expect((await v2.get(`${SILENCED}/*:ends`)).status).toBe(404);
  });

  test('a silence whose expiry is in the past is accepted with a warning and is not stored', async () => {
    const body = silence({ check: 'late', expire: -1, expire_at: NOW - 3600 });
    const { status, headers } = await v2.put(`${SILENCED}/*:late`, body);
    expect([status, headers.get('warning')]).toEqual([201, expect.stringContaining('so it silences nothing')]);
    expect(await v2.get(`${SILENCED}/*:late`)).toMatchObject({ status: 404 });
    expect(await v2.post(SILENCED, body)).toMatchObject({ status: 201 });
    expect(await v2.get(`${SILENCED}/*:late`)).toMatchObject({ status: 404 });
  });

  test('a silence whose expiry is in the past ends the existing silence of the same name', async () => {
    await v2.put(`${SILENCED}/*:ended`, silence({ check: 'ended' }));
    const { status } = await v2.put(`${SILENCED}/*:ended`, silence({ check: 'ended', expire_at: NOW - 3600 }));
    expect(status).toBe(201);
    expect(await v2.get(`${SILENCED}/*:ended`)).toMatchObject({ status: 404 });
  });

  test('a silence whose expiry is in the past does not stop monctl from creating the other objects of a file', async () => {
    const objects = [
      { type: 'Silenced', metadata: { name: '*:past' }, spec: { check: 'past', expire_at: NOW - 3600 } },
      { type: 'CheckConfig', metadata: { name: 'after' }, spec: { command: 'true', interval: 60 } },
    ];
    const env = { MON_BACKEND: backend.url };
    const { code, stdout, stderr } = await runMonctl(['create', '-f', '-'], env, { input: JSON.stringify(objects) });
    expect([code, stdout]).toEqual([0, 'Created Silenced default/*:past\nCreated CheckConfig default/after\n']);
    expect(stderr).toMatch(/^Silenced default\/\*:past: it ended at /);
  });

  test.each([
    { name: 'neither a subscription nor a check', body: silence({}) },
    { name: 'an invalid check name', body: silence({ check: 'a b' }) },
    { name: 'a begin in milliseconds', body: silence({ check: 'late', begin: NOW * 1000 }) },
    { name: 'a text for a number', body: silence({ check: 'late', expire: '60' }) },
  ])('a silence with $name returns 400', async ({ body }) => {
    expect(await v2.post(SILENCED, body)).toMatchObject({ status: 400, body: { code: 1 } });
  });

  test('a silence that lasts longer than the policy allows returns 400 with the code for thresholds', async () => {
    for (const body of [silence({ check: 'long', expire: 86_401 }), silence({ check: 'long', expire: -1 })]) {
      expect(await v2.post(SILENCED, body)).toMatchObject({ status: 400, body: { code: 9 } });
    }
  });

  test('a silence is stored under the names in its body, whatever the path is', async () => {
    expect((await v2.put(`${SILENCED}/web:cpu`, silence({ check: 'named' }))).status).toBe(201);
    expect((await v2.get(`${SILENCED}/web:cpu`)).status).toBe(404);
    expect((await v2.delete(`${SILENCED}/*:named`)).status).toBe(204);
  });

  test('a silence may name a check with a colon in its name', async () => {
    expect((await v2.post(SILENCED, silence({ subscription: 'entity:web-02', check: 'a:b' }))).status).toBe(201);
    expect((await v2.get(`${SILENCED}/entity:web-02:a:b`)).body).toMatchObject({
      subscription: 'entity:web-02',
      check: 'a:b',
    });
    expect((await v2.delete(`${SILENCED}/entity:web-02:a:b`)).status).toBe(204);
  });
});

describe('lists of silences', () => {
  test('the list of silences can be filtered by namespace, by check, and by exact subscription', async () => {
    for (const parts of [
      { subscription: 'db' },
      { subscription: 'db', check: 'io' },
      { subscription: 'db:eu' },
      { check: 'io' },
    ]) {
      await v2.post(SILENCED, silence(parts));
    }
    await v2.post('/namespaces/ops/silenced', { ...silence({ check: 'io' }), metadata: { namespace: 'ops' } });
    expect(namesOf((await v2.get(`${SILENCED}/checks/io`)).body)).toEqual(['*:io', 'db:io']);
    expect(namesOf((await v2.get(`${SILENCED}/subscriptions/db`)).body)).toEqual(['db:*', 'db:io']);
    expect(namesOf((await v2.get(`${SILENCED}/subscriptions/none`)).body)).toEqual([]);
    expect(namesOf((await v2.get(`${SILENCED}/subscriptions/entity%3Aweb-01`)).body)).toEqual(['entity:web-01:cpu']);
    expect(namesOf((await v2.get('/namespaces/ops/silenced')).body)).toEqual(['*:io']);
    expect(namesOf((await v2.get('/silenced?fieldSelector=silenced.check%20%3D%3D%20io')).body)).toEqual([
      '*:io',
      'db:io',
      '*:io',
    ]);
  });

  test('the list of silences of the v2 API is paginated', async () => {
    const first = await v2.get(`${SILENCED}?limit=3`);
    const rest = await v2.get(`${SILENCED}?limit=100&continue=${first.headers.get('Sensu-Continue') ?? ''}`);
    const all = namesOf((await v2.get(SILENCED)).body);
    expect([...namesOf(first.body), ...namesOf(rest.body)]).toEqual(all);
    expect(rest.headers.get('Sensu-Continue')).toBeNull();
  });
});

describe('silences in the v1 API and in the v2 API', () => {
  const failing = { source: 'web-09', name: 'disk', output: 'full', status: 2 };

  test('a silence of a client created over the v2 API is visible in the v1 API at once', async () => {
    await v1('POST', '/results', failing);
    await v2.post(SILENCED, silence({ subscription: 'entity:web-09' }));
    expect(await v1('GET', '/events/web-09/disk')).toMatchObject({
      silenced: true,
      silenced_by: ['client:web-09:*'],
    });
    expect(await v1('GET', '/silenced/ids/client:web-09:*')).toMatchObject({ subscription: 'client:web-09' });
    expect((await v2.get('/namespaces/default/events/web-09/disk')).body).toMatchObject({
      check: { is_silenced: true, silenced: ['entity:web-09:*'] },
    });
    await v1('POST', '/silenced/clear', { id: 'client:web-09:*' });
    expect((await v2.get(`${SILENCED}/entity:web-09:*`)).status).toBe(404);
    await v1('POST', '/silenced', { subscription: 'client:web-09', check: 'disk', expire: 60, creator: 'bob' });
    expect((await v2.get(`${SILENCED}/entity:web-09:disk`)).body).toMatchObject({ expire: 60, creator: 'bob' });
    expect((await v2.delete(`${SILENCED}/entity:web-09:disk`)).status).toBe(204);
    expect(await v1('GET', '/events/web-09/disk')).toMatchObject({ silenced: false });
  });

  test('a silence of another namespace does not suppress events in default', async () => {
    await v2.post('/namespaces/ops/silenced', { ...silence({ check: 'disk' }), metadata: { namespace: 'ops' } });
    expect(await v1('GET', '/events/web-09/disk')).toMatchObject({ silenced: false });
    expect(await v1('GET', '/silenced/ids/*:disk')).toBe(404);
  });

  test('a silence with expire_on_resolve created over the v2 API ends when the v2 API resolves the event', async () => {
    await v2.post(SILENCED, silence({ subscription: 'entity:web-09', check: 'disk', expire_on_resolve: true }));
    const path = '/namespaces/default/events/web-09/disk';
    const { body } = await v2.get(path);
    const { check, ...event } = body as { readonly check: object };
    await v2.put(path, { ...event, check: { ...check, status: 0, output: 'Resolved manually by sensuctl' } });
    expect((await v2.get(`${SILENCED}/entity:web-09:disk`)).status).toBe(404);
  });
});

describe('silences of a backend with credentials and a silence policy for all APIs', () => {
  test('the creator of a v2 silence is the authenticated user, and the silence policy requires a reason', async () => {
    await using guarded = await startBackend({
      clock: new ManualClock(),
      batcher: { batchLimit: 1 },
      settings: { api: { user: 'ada', password: 'correct horse' }, 'silence-policy': { 'apply-to-v1': true } },
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
