import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

/** Tests of the migration from stashes under silence/ to silenced entries (reference 9.1). */

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({});
  api = openApiClient({ backend: backend.url, env: {} });
  await api.saveClient({
    name: 'web-1',
    address: '10.0.0.1',
    subscriptions: ['web', 'client:web-1'],
    version: '1.9.0',
  });
});
afterAll(() => backend[Symbol.asyncDispose]());
afterEach(async () => {
  for (const { path } of await api.stashes()) await api.deleteStash(path);
  for (const { id } of await api.silenced()) await api.clearSilenced({ id });
});

function migrate(...line: readonly string[]): Promise<MonctlRun> {
  return runMonctl(['migrate', 'stashes', ...line], { MON_BACKEND: backend.url });
}

async function stash(path: string, content: Readonly<Record<string, unknown>> = {}, expire?: number): Promise<void> {
  await api.saveStash({ path, content, ...(expire === undefined ? {} : { expire }) });
}

async function paths(): Promise<readonly string[]> {
  return (await api.stashes()).map(({ path }) => path);
}

test('monctl migrate stashes keeps client, check, expiry, reason and creator, and leaves other stashes', async () => {
  await stash('silence/web-1', { reason: 'rebuild', owner: 'alice' }, 3600);
  await stash('silence/web-1/disk', { reason: 'known' });
  await stash('silence/all/cert');
  await stash('deploy/web', { version: 1 });

  const looked = await migrate();
  expect(looked.stdout).toContain('nothing was changed: add --apply to apply it');
  expect(await api.silenced()).toEqual([]);

  expect(await migrate('--apply')).toMatchObject({ code: 0, stdout: 'migrated 3 stashes\n' });
  const entries = await api.silenced();
  expect(entries.map(({ id, reason, creator }) => [id, reason, creator])).toEqual([
    ['*:cert', null, null],
    ['client:web-1:*', 'rebuild', 'alice'],
    ['client:web-1:disk', 'known', null],
  ]);
  const left = entries.find(({ id }) => id === 'client:web-1:*')?.expire ?? 0;
  expect(left).toBeGreaterThan(3590);
  expect(left).toBeLessThanOrEqual(3600);
  expect(await paths()).toEqual(['deploy/web']);
});

test('monctl migrate stashes keeps an existing silence that lasts longer and extends a shorter silence', async () => {
  await api.silence({ subscription: 'client:web-1', expire: -1, reason: 'mine' });
  await api.silence({ subscription: 'client:web-1', check: 'disk', expire: 60 });
  await stash('silence/web-1', {}, 3600);
  await stash('silence/web-1/disk', {}, 3600);
  expect((await migrate('--apply')).code).toBe(0);
  expect(await api.silencedEntry('client:web-1:*')).toMatchObject({ expire: -1, reason: 'mine' });
  expect((await api.silencedEntry('client:web-1:disk'))?.expire).toBeGreaterThan(3590);
});

test('monctl migrate stashes leaves a stash without a valid target and reports it by the exit code', async () => {
  await stash('silence/a/b/c');
  await stash('silence/web-1');
  expect(await migrate('--apply')).toMatchObject({ code: 6, stdout: 'migrated 1 stash, 1 stay\n' });
  expect(await paths()).toEqual(['silence/a/b/c']);
});

test('monctl migrate stashes leaves a stash if the new silence would not match its old client', async () => {
  const clients = [
    { name: 'old-1', address: '', subscriptions: ['client:old-1'], version: '0.25.0', timestamp: 0 },
    { name: 'old-2', address: '', subscriptions: ['web'], version: '0.26.0', timestamp: 0 },
  ];
  const stashes = clients.map(({ name }) => ({ path: `silence/${name}`, content: {}, expire: -1 }));
  const service = await startScriptedServer(({ path }) => ({
    status: 200,
    body: path.startsWith('/stashes') ? stashes : path.startsWith('/clients') ? clients : [],
  }));
  const run = await runMonctl(['migrate', 'stashes', '--apply', '--output', 'json'], { MON_BACKEND: service.url });
  expect(run.code).toBe(6);
  expect(run.stdout).toContain('old-1 runs 0.25.0, older than 0.26: upgrade the agent of this client first');
  expect(run.stdout).toContain('old-2 lacks the subscription client:old-2: upgrade the agent of this client first');
  expect(service.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('monctl migrate stashes changes nothing if its question is declined', async () => {
  await stash('silence/web-1');
  const run = await runMonctl(['migrate', 'stashes', '--apply'], { MON_BACKEND: backend.url }, { answer: 'n' });
  expect(run).toMatchObject({ code: 7 });
  expect(run.stderr).toContain('migrate 1 stash? [y/N]');
  expect(await paths()).toEqual(['silence/web-1']);
});

test('monctl migrate stashes says that there is nothing to migrate', async () => {
  expect((await migrate('--apply')).stdout).toBe('there are no silence stashes: nothing to migrate\n');
});
