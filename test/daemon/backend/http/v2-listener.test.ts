import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { compose, type Backend } from '../../../../daemon/backend/compose.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../../../daemon/clock/system-clock.ts';
import { VERSION } from '../../../../shared/schemas/version.ts';
import { placesOf } from '../../../support/administrator.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { send } from '../../../support/raw-http.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

async function open(flags: object, dir?: string, isInsecureAllowed = false): Promise<Backend> {
  const place = dir ?? (await tempDir());
  const backend = await compose({
    config: await loadConfig({ directories: [], env: {}, flags: { ...flags } }),
    openStore: () => openLevelStore(place),
    clock: new SystemClock(),
    log: new RecordedLog(),
    bind: '127.0.0.1',
    port: 0,
    isInsecureAllowed,
    localDirectories: placesOf(place),
    batcher: { lingerMs: 0 },
  });
  onTestFinished(() => backend.stop());
  return backend;
}

const getJson = async (url: string, path: string): Promise<unknown> => {
  const response = await fetch(url + path);
  const text = await response.text();
  return [
    response.status,
    response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text,
  ];
};

const ANY_NAME = expect.any(String);
const ANY_NUMBER = expect.any(Number);

describe('the listener of the v2 API', () => {
  test('the v2 listener serves the v2 API, logins, version, metrics and health, but not the v1 API', async () => {
    const { url, v2Url = '' } = await open({ 'v2-listener': { port: 0 } });
    const version = { etcd: { etcdserver: '', etcdcluster: '' }, sensu_backend: '6.5.0', mon: { version: VERSION } };
    expect(await getJson(v2Url, '/version')).toEqual([200, version]);
    expect(await getJson(url, '/version')).toEqual([200, version]);
    expect(await getJson(v2Url, '/api/core/v2/namespaces')).toEqual([200, [{ name: 'default' }]]);
    expect(await getJson(v2Url, '/auth/test')).toEqual([200, '']);
    expect(await getJson(v2Url, '/metrics')).toEqual([200, expect.stringContaining('mon_clients 0')]);
    expect(await getJson(v2Url, '/clients')).toEqual([404, { message: 'not found', code: 2 }]);
    const health = await fetch(`${v2Url}/health?timeout=3`);
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({
      Alarms: null,
      ClusterHealth: [{ MemberID: ANY_NUMBER, MemberIDHex: ANY_NAME, Name: ANY_NAME, Err: '', Healthy: true }],
      Header: { cluster_id: ANY_NUMBER, member_id: ANY_NUMBER, raft_term: 1 },
    });
    // On the main listener, `/health` is the endpoint of the v1 API.
    expect(await getJson(url, '/health')).toEqual([204, '']);
  });

  test('the v2 listener returns 404 for unknown paths and redirects paths with double slashes', async () => {
    const { v2Url = '' } = await open({ 'v2-listener': { port: 0 }, api: { user: 'root', password: 'long enough' } });
    expect(await getJson(v2Url, '/nosuch')).toEqual([404, { message: 'not found', code: 2 }]);
    expect(await getJson(v2Url, '/api/core/v2/nosuch')).toEqual([404, { message: 'not found', code: 2 }]);
    expect(await getJson(v2Url, '/api/core/v2/namespaces')).toMatchObject([401, { Code: 5 }]);
    const twice = await fetch(`${v2Url}/api/core/v2//namespaces?limit=1`, { redirect: 'manual' });
    expect([twice.status, twice.headers.get('location')]).toEqual([301, '/api/core/v2/namespaces?limit=1']);
  });

  test('the v2 listener exists only if it is configured', async () => {
    expect((await open({})).v2Url).toBeUndefined();
  });

  test('the v2 listener responds to any host name with --insecure', async () => {
    const { v2Url = '' } = await open(
      { 'v2-listener': { bind: '0.0.0.0', port: 0 }, 'insecure-http': true },
      undefined,
      true,
    );
    const request = { method: 'GET', target: '/api/core/v2/namespaces', headers: { Host: 'mon.example.org' } };
    expect(await send(v2Url.replace('0.0.0.0', '127.0.0.1'), request)).toMatchObject({ status: 200 });
  });

  test('a v2 listener that other machines can reach is rejected while no credentials exist', async () => {
    await expect(open({ 'v2-listener': { bind: '0.0.0.0', port: 0 } })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('0.0.0.0 can be reached by other hosts'),
    });
  });
});

test('namespaces and definitions survive a restart, and deleted ones stay deleted', async () => {
  const dir = await tempDir();
  const metadata = { namespace: 'prod' };
  const before = await open({}, dir);
  const core = new V2Peer(before.url);
  for (const name of ['prod', 'gone']) await core.post('/namespaces', { name });
  await core.delete('/namespaces/gone');
  for (const name of ['disk', 'load']) {
    await core.post('/checks', { metadata: { ...metadata, name }, command: 'true', interval: 60, ttl: null });
  }
  await core.post('/filters', {
    metadata: { ...metadata, name: 'f' },
    action: 'allow',
    expressions: ['event.check.status == 1'],
  });
  await core.delete('/namespaces/prod/checks/load');
  const stored = await Promise.all(
    ['/namespaces', '/checks', '/filters'].map(async (path) => (await core.get(path)).body),
  );
  await before.stop();

  const again = new V2Peer((await open({}, dir)).url);
  expect(
    await Promise.all(['/namespaces', '/checks', '/filters'].map(async (path) => (await again.get(path)).body)),
  ).toEqual(stored);
  expect(stored).toMatchObject([
    [{ name: 'default' }, { name: 'prod' }],
    [{ metadata: { name: 'disk' }, ttl: 0 }],
    [{ metadata: { name: 'f' } }],
  ]);
});
