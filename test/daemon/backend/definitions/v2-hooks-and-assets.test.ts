import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { V2Peer } from '../../../support/v2-peer.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
let v2: V2Peer;

const SHA = 'a1'.repeat(64);
const PROD = '/namespaces/prod';

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 }, settings: { 'agent-listener': { port: 0 } } });
  v2 = new V2Peer(backend.url);
  await v2.post('/namespaces', { name: 'prod' });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const meta = (name: string): object => ({ name, namespace: 'prod' });
const CREATED = { created_by: 'local administrator' };

function checkHooks(check: unknown): unknown {
  return (check as { readonly check_hooks: unknown }).check_hooks;
}

describe('hooks of the v2 API', () => {
  const hook = { command: 'ps', timeout: 10, metadata: meta('k1') };

  test('hooks can be created, are shown with every attribute, and can be changed and deleted', async () => {
    const shown = { ...hook, metadata: { ...meta('k1'), ...CREATED }, stdin: false, runtime_assets: null };
    expect(await v2.post(`${PROD}/hooks`, hook)).toMatchObject({ status: 201, body: undefined });
    expect(await v2.post(`${PROD}/hooks`, hook)).toMatchObject({ status: 409 });
    expect(await v2.put(`${PROD}/hooks/k1`, hook)).toMatchObject({ status: 201 });
    expect((await v2.get(`${PROD}/hooks/k1`)).body).toEqual(shown);
    expect((await v2.get('/hooks')).body).toEqual([shown]);
    expect(await v2.patch(`${PROD}/hooks/k1`, { metadata: { labels: { p: 'q' } } })).toMatchObject({ status: 200 });
    expect(await v2.delete(`${PROD}/hooks/k1`)).toMatchObject({ status: 204 });
    expect(await v2.delete(`${PROD}/hooks/k1`)).toMatchObject({ status: 404 });
  });

  test.each<[what: string, body: object]>([
    ['the hook has no command', { timeout: 10 }],
    ['the hook has no timeout', { command: 'x' }],
    ['the hook has a timeout of 0', { command: 'x', timeout: 0 }],
    ['the hook has a name with a space', { command: 'x', timeout: 1, metadata: meta('a b') }],
  ])('storing a hook is rejected: %s', async (_what, body) => {
    expect(await v2.post(`${PROD}/hooks`, { metadata: meta('bad'), ...body })).toMatchObject({ status: 400 });
  });

  test('hooks of a check can be added and replaced one by one, as the Terraform provider does', async () => {
    const checked = `${PROD}/checks/tf`;
    const hookOf = (name: string): object => ({
      metadata: { ...meta(name), labels: {}, annotations: {} },
      command: '/bin/foo',
      timeout: 60,
      stdin: false,
      runtime_assets: null,
    });
    const add = async (name: string): Promise<void> => {
      expect(await v2.put(`${checked}/hooks/non-zero`, { 'non-zero': [name] })).toMatchObject({ status: 201 });
    };
    for (const name of ['hook_1', 'hook_2'])
      expect(await v2.post(`${PROD}/hooks`, hookOf(name))).toMatchObject({ status: 201 });
    const check = {
      command: '/bin/foobar',
      interval: 6000,
      subscriptions: ['foo', 'bar'],
      handlers: [],
      publish: true,
      high_flap_threshold: 0,
      low_flap_threshold: 0,
      runtime_assets: null,
      proxy_entity_name: '',
      cron: '',
      check_hooks: null,
      stdin: false,
      subdue: { days: {}, ttl: 0, timeout: 0, round_robin: false },
      output_metric_format: '',
      output_metric_handlers: null,
      env_vars: null,
      secrets: null,
    };
    expect(await v2.post(`${PROD}/checks`, { ...check, metadata: meta('tf') })).toMatchObject({ status: 201 });
    for (const name of ['hook_1', 'hook_2']) await add(name);
    const { body: stored } = await v2.get(checked);
    expect(checkHooks(stored)).toEqual([{ 'non-zero': ['hook_1', 'hook_2'] }]);
    // A hook cannot be renamed: the old hook is deleted while the check still names it, and a new one is created.
    expect(await v2.delete(`${PROD}/hooks/hook_2`)).toMatchObject({ status: 204 });
    expect(await v2.post(`${PROD}/hooks`, hookOf('hook_2_modified'))).toMatchObject({ status: 201 });
    expect(await v2.put(checked, stored)).toMatchObject({ status: 201 });
    for (const name of ['hook_1', 'hook_2'])
      expect(await v2.delete(`${checked}/hooks/non-zero/hook/${name}`)).toMatchObject({ status: 204 });
    for (const name of ['hook_1', 'hook_2_modified']) await add(name);
    expect(checkHooks((await v2.get(checked)).body)).toEqual([{ 'non-zero': ['hook_1', 'hook_2_modified'] }]);
    expect(await v2.delete(checked)).toMatchObject({ status: 204 });
    expect(await v2.get(checked)).toMatchObject({ status: 404, body: { message: 'not found' } });
  });

  test('hooks of a check are set and removed by hook type', async () => {
    const checked = `${PROD}/checks/hc`;
    const hooksOf = async (): Promise<unknown> =>
      ((await v2.get(checked)).body as { check_hooks: unknown }).check_hooks;
    await v2.put(checked, { command: 'true', interval: 60, metadata: meta('hc') });
    expect(await v2.put(`${checked}/hooks/critical`, { critical: ['hk'] })).toMatchObject({ status: 201 });
    expect(await v2.put(`${checked}/hooks/1`, { 1: ['a', 'b'] })).toMatchObject({ status: 201 });
    expect(await hooksOf()).toEqual([{ critical: ['hk'] }, { 1: ['a', 'b'] }]);
    expect(await v2.put(`${checked}/hooks/critical`, { critical: ['other', 'hk'] })).toMatchObject({ status: 201 });
    expect(await hooksOf()).toEqual([{ critical: ['hk', 'other'] }, { 1: ['a', 'b'] }]);
    expect(await v2.delete(`${checked}/hooks/critical/hook/hk`)).toMatchObject({ status: 204 });
    expect(await hooksOf()).toEqual([{ critical: ['other'] }, { 1: ['a', 'b'] }]);
    expect(await v2.delete(`${checked}/hooks/critical/hook/other`)).toMatchObject({ status: 204 });
    expect(await v2.delete(`${checked}/hooks/critical/hook/other`)).toMatchObject({ status: 404 });
    expect(await v2.delete(`${checked}/hooks/1/hook/a`)).toMatchObject({ status: 204 });
    expect(await hooksOf()).toEqual([{ 1: ['b'] }]);
    expect(await v2.put(`${checked}/hooks/critical`, ['hk'])).toMatchObject({ status: 400 });
    expect(await v2.put(`${PROD}/checks/none/hooks/critical`, { critical: ['hk'] })).toMatchObject({ status: 404 });
  });
});

describe('assets of the v2 API', () => {
  const asset = { url: 'https://assets.example/x.tar.gz', sha512: SHA, metadata: meta('sensu/x') };
  const path = `${PROD}/assets/sensu%2Fx`;

  test('assets may have names with slashes and are shown with every attribute', async () => {
    expect(await v2.put(path, asset)).toMatchObject({ status: 201 });
    expect((await v2.get(path)).body).toEqual({
      ...asset,
      metadata: { ...meta('sensu/x'), ...CREATED },
      filters: null,
      builds: null,
      headers: null,
    });
    const builds = [{ url: asset.url, sha512: SHA, filters: ["entity.system.os == 'linux'"] }];
    expect(await v2.post(`${PROD}/assets`, { builds, metadata: meta('built') })).toMatchObject({ status: 201 });
    expect((await v2.get(`${PROD}/assets/built`)).body).toMatchObject({ builds: [{ ...builds[0], headers: null }] });
    expect(await v2.delete(`${PROD}/assets/built`)).toMatchObject({ status: 204 });
  });

  test.each<[what: string, body: object]>([
    ['without an address', { url: undefined }],
    ['with an address that is not a web address', { url: 'file:///etc/passwd' }],
    ['without a checksum', { sha512: undefined }],
    ['with a truncated checksum', { sha512: 'abc' }],
    ['with a space in the name', { metadata: meta('a b') }],
    ['with a name that leads out of its directory', { metadata: meta('a/../b') }],
    ['with a build without a checksum', { builds: [{ url: 'https://x.example/y' }] }],
    ['with an invalid filter expression', { filters: ["entity.system.os == 'linux'", 'entity.system.os =='] }],
    ['with two values without an operator in a filter', { filters: ['entity.system.os linux'] }],
    ['with an unterminated text in a filter', { filters: ["entity.system.arch == 'amd64"] }],
    [
      'with a build whose filter is invalid',
      { builds: [{ url: 'https://x.example/y', sha512: SHA, filters: ["entity.system.os = = 'linux'"] }] },
    ],
  ])('storing an asset %s is rejected', async (_what, body) => {
    expect(await v2.post(`${PROD}/assets`, { ...asset, ...body })).toMatchObject({ status: 400 });
  });

  test('filters of published assets are accepted, and the filters of the builds are validated if there are builds', async () => {
    const filters = [
      "entity.system.os == 'linux'",
      "parseInt(entity.system.platform_version.split('.')[0]) > 6",
      "entity.system.platform_version.split('.')[0].indexOf('201') !== -1",
      '',
    ];
    expect(await v2.put(path, { ...asset, filters })).toMatchObject({ status: 201 });
    const built = { metadata: asset.metadata, builds: [{ url: asset.url, sha512: SHA, filters }], filters: ['=='] };
    expect(await v2.put(path, built)).toMatchObject({ status: 201 });
    expect(await v2.put(path, { ...asset, filters: ['entity.'] })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/filters.*is invalid at character 8/) as string },
    });
  });

  test('agents get assets and hooks together with the checks that name them, and missing ones are omitted', async () => {
    await v2.put(path, asset);
    await v2.put(`${PROD}/hooks/top`, {
      command: 'top',
      timeout: 5,
      runtime_assets: ['sensu/x'],
      metadata: meta('top'),
    });
    await v2.put(`${PROD}/checks/full`, {
      command: 'true',
      interval: 60,
      subscriptions: ['full'],
      runtime_assets: ['sensu/x', 'nosuch'],
      check_hooks: [{ critical: ['top', 'gone'] }, { 1: ['top'] }],
      metadata: meta('full'),
    });
    const agent = await GoAgent.joined(backend.agentUrl, { name: 'a1', namespace: 'prod', subscriptions: ['full'] });
    await agent.register();
    await v2.post(`${PROD}/checks/full/execute`, {});
    const shownAsset = (await v2.get(path)).body;
    expect(await agent.hears('check_request')).toMatchObject({
      config: { runtime_assets: ['sensu/x', 'nosuch'], check_hooks: [{ critical: ['top', 'gone'] }, { 1: ['top'] }] },
      assets: [shownAsset],
      hooks: [(await v2.get(`${PROD}/hooks/top`)).body],
      hook_assets: { top: { assets: [shownAsset] } },
    });
    agent.cut();
  });
});

describe('cluster-wide objects of the v2 API', () => {
  test('telemetry is never sent, whatever the request to the v2 API contains', async () => {
    for (const body of [{ opt_out: true }, {}, { opt_out: false }]) {
      expect(await v2.put('/tessen', body)).toMatchObject({ status: 200, body: { opt_out: true } });
    }
    expect(await v2.get('/tessen')).toMatchObject({ status: 200, body: { opt_out: true } });
    expect(await v2.post('/tessen/metrics', [{ name: 'm', value: 1 }])).toMatchObject({
      status: 200,
      body: [{ name: 'm', value: 1, timestamp: 0, tags: null }],
    });
    expect(await v2.post('/tessen', { opt_out: true })).toMatchObject({ status: 405 });
  });

  test('the v2 API lists a backend without other members as the only member of its cluster', async () => {
    expect((await v2.get('/cluster/id')).body).toMatch(/^[\w-]{8,}$/);
    expect((await v2.get('/cluster/members')).body).toMatchObject({
      members: [{ ID: expect.any(Number), name: expect.any(String) }],
    });
    expect(await v2.delete('/cluster/id')).toMatchObject({ status: 405 });
  });
});
