import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askV1 } from '../../../support/ask-v1.ts';
import { asking } from '../../../support/asking.ts';
import { GoAgent } from '../../../support/go-agent.ts';
import { runMonctl } from '../../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { V2Peer } from '../../../support/v2-peer.ts';

let backend: RunningBackend;
let v2: V2Peer;

const SHA = 'a1'.repeat(64);
const IN_DEFAULT = '/namespaces/default';

beforeAll(async () => {
  backend = await startBackend({ batcher: { lingerMs: 0 }, settings: { 'agent-listener': { port: 0 } } });
  v2 = new V2Peer(backend.url);
});

afterAll(async () => backend[Symbol.asyncDispose]());

/** The required attributes of each kind of object, besides its name. */
const LEAST: Readonly<Record<string, object>> = {
  assets: { url: 'https://assets.example/x.tar.gz', sha512: SHA },
  checks: { command: 'true', interval: 60 },
  entities: { entity_class: 'proxy' },
  filters: { action: 'allow', expressions: ['true'] },
  handlers: { type: 'pipe', command: 'cat' },
  hooks: { command: 'ps', timeout: 1 },
  mutators: { command: 'cat' },
};

const OBJECT_NAMES = ['a', 'A_b-1.c', 'a:b', 'fe80::1', ':', '0'];
const NO_OBJECT_NAMES = ['', 'a b', 'a/b', 'ä', '*', 'a%20b', '.', '..', 'a\nb'];
const ASSET_NAMES = ['acme/probe:1.0.0', 'Acme/Probe_1', 'sensu/sensu-ruby-runtime:0.1.0', 'a:b/c', '/x'];
const NO_ASSET_NAMES = ['', 'a b', 'ä', 'a/../b', './a', 'a?b', 'a#b'];

describe.each(Object.keys(LEAST))('names of %s', (kind) => {
  const [good, bad] = kind === 'assets' ? [ASSET_NAMES, NO_ASSET_NAMES] : [OBJECT_NAMES, NO_OBJECT_NAMES];
  const send = (name: string) =>
    v2.post(`${IN_DEFAULT}/${kind}`, { ...LEAST[kind], metadata: { name, namespace: 'default' } });

  test.each(good)('the name %j is accepted, and the object can be read and deleted', async (name) => {
    expect((await send(name)).status).toBeLessThan(300);
    const path = `${IN_DEFAULT}/${kind}/${encodeURIComponent(name)}`;
    expect((await v2.get(path)).body).toMatchObject({ metadata: { name } });
    expect(await v2.delete(path)).toMatchObject({ status: 204 });
  });

  test.each(bad)('the name %j is rejected with a reason', async (name) => {
    expect(await send(name)).toMatchObject({
      status: 400,
      body: { code: 1, message: expect.stringMatching(/^metadata\.name: must/) },
    });
  });
});

test.each(['a:b', 'A', 'a.b_c-d'])('a namespace with the name %j can be created and contain objects', async (name) => {
  const path = `/namespaces/${encodeURIComponent(name)}`;
  expect(await v2.put(path, { name })).toMatchObject({ status: 201 });
  const check = { ...LEAST['checks'], metadata: { name: 'c', namespace: name } };
  expect(await v2.put(`${path}/checks/c`, check)).toMatchObject({ status: 201 });
  expect((await v2.get(`${path}/checks`)).body).toMatchObject([{ metadata: { name: 'c', namespace: name } }]);
  expect(await v2.delete(`${path}/checks/c`)).toMatchObject({ status: 204 });
  expect(await v2.delete(path)).toMatchObject({ status: 204 });
});

test('monctl creates an asset under its published name with a slash and a colon, and a check may use it', async () => {
  const file = `
type: Asset
api_version: core/v2
metadata: { name: "acme/probe:1.0.0" }
spec: { url: "https://assets.example/p.tar.gz", sha512: "${SHA}" }
---
type: CheckConfig
api_version: core/v2
metadata: { name: probe }
spec: { command: probe, interval: 60, runtime_assets: ["acme/probe:1.0.0"] }
`;
  const env = { MON_BACKEND: backend.url };
  const created = await runMonctl(['create', '-f', '-'], env, { input: file });
  expect(created).toEqual({
    code: 0,
    stdout: 'Created Asset default/acme/probe:1.0.0\nCreated CheckConfig default/probe\n',
    stderr: '',
  });
  const { stdout } = await runMonctl(['dump', 'assets'], env);
  expect(stdout).toContain('acme/probe:1.0.0');
  expect(await runMonctl(['delete', '-f', '-', '--skip-confirm'], env, { input: file })).toMatchObject({ code: 0 });
});

describe('an entity and a check with colons in their names', () => {
  const event = {
    entity: { entity_class: 'proxy', metadata: { name: 'fe80::1' } },
    check: { metadata: { name: 'a:b' }, status: 2, output: 'down' },
  };
  const path = `${IN_DEFAULT}/events/fe80::1/a:b`;

  test('an event with colons in its names can be shown, explained, silenced and resolved', async () => {
    const ask = asking(backend.url);
    const mon: typeof ask = (method, target, body) => ask(method, `/api/mon/v1${target}`, body);
    expect(await v2.put(path, event)).toMatchObject({ status: 201 });
    expect((await v2.get(path)).body).toMatchObject({ check: { metadata: { name: 'a:b' }, status: 2 } });
    expect(await mon('GET', '/events/fe80::1/a:b/explain')).toMatchObject({
      status: 200,
      body: { client: 'fe80::1', check: 'a:b', event: { status: 2 } },
    });
    const silence = {
      op: 'silence',
      subscription: 'client:fe80::1',
      check: 'a:b',
      creator: 'ann',
      reason: 'CHG-1',
      expire: 60,
    };
    expect(await mon('POST', '/bulk', { operations: [silence] })).toMatchObject({ status: 200 });
    expect((await v2.get(path)).body).toMatchObject({
      check: { is_silenced: true, silenced: ['entity:fe80::1:a:b'] },
    });
    const name = encodeURIComponent('entity:fe80::1:a:b');
    expect(await v2.delete(`${IN_DEFAULT}/silenced/${name}`)).toMatchObject({ status: 204 });
    const resolve = { op: 'resolve', client: 'fe80::1', check: 'a:b' };
    expect(await mon('POST', '/bulk', { operations: [resolve] })).toMatchObject({ status: 200 });
    expect((await v2.get(path)).body).toMatchObject({ check: { status: 0 } });
    expect(await v2.delete(path)).toMatchObject({ status: 204 });
  });

  test('an agent can report results for an entity and a check with colons in their names', async () => {
    const agent = await GoAgent.joined(backend.agentUrl, {
      name: 'ag:1',
      namespace: 'default',
      subscriptions: ['six'],
    });
    await agent.register();
    await v2.put(`${IN_DEFAULT}/checks/a:b`, {
      ...LEAST['checks'],
      metadata: { name: 'a:b' },
      subscriptions: ['six'],
      proxy_entity_name: 'fe80::2',
    });
    await v2.post(`${IN_DEFAULT}/checks/a:b/execute`, {});
    await agent.hears('check_request');
    agent.event({ ...event.check, proxy_entity_name: 'fe80::2' });
    await expect
      .poll(async () => (await v2.get(`${IN_DEFAULT}/events/fe80::2/a:b`)).body)
      .toMatchObject({ entity: { metadata: { name: 'fe80::2' } }, check: { status: 2 } });
    agent.cut();
  });

  test('an event with colons in its names can be restored from a dump', async () => {
    const env = { MON_BACKEND: backend.url };
    await v2.put(path, event);
    const { stdout } = await runMonctl(['dump', 'entities,events'], env);
    await v2.delete(path);
    await v2.delete(`${IN_DEFAULT}/entities/fe80::1`);
    const file = join(await tempDir(), 'dump.yml');
    await writeFile(file, stdout);
    const { stdout: output } = await runMonctl(['restore', file, '--skip-confirm'], env);
    expect(output).toContain('created Entity default/fe80::1');
    expect(output).toContain('created Event default/fe80::1/a:b');
    expect((await v2.get(path)).body).toMatchObject({ check: { status: 2 } });
  });

  test('the v1 API rejects names with colons', async () => {
    expect(await askV1(backend.url, 'POST', '/results', { name: 'a:b', source: 'x', output: '' })).toBe(400);
    expect(await askV1(backend.url, 'POST', '/results', { name: 'a', source: 'x:y', output: '' })).toBe(400);
  });
});
