import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { V2Peer } from '../../../support/v2-peer.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

let backend: RunningBackend;
let v2: V2Peer;

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    settings: {
      handlers: { mail: { type: 'pipe', command: 'cat', filter: 'often', severities: ['critical'] } },
      filters: { often: { attributes: { occurrences: 'eval: value > 1' } } },
      mutators: { short: { command: 'head -1' } },
    },
  });
  v2 = new V2Peer(backend.url);
  await v2.post('/namespaces', { name: 'prod' });
});

afterAll(async () => backend[Symbol.asyncDispose]());

const metadata = { name: 'x', namespace: 'prod' };

describe.each<[kind: string, valid: object, invalid: object, problem: string, zero: object]>([
  [
    'handlers',
    { metadata, type: 'pipe', command: 'cat', filters: [], timeout: 0 },
    { type: 'pipe', command: '' },
    'command',
    { handlers: null, env_vars: null, runtime_assets: null, secrets: null },
  ],
  [
    'filters',
    { metadata, action: 'deny', expressions: ["event.check.name == 'a'"] },
    { expressions: ['let y = 1; y == 1'] },
    'the expression "let y = 1; y == 1" is invalid at character 1: "let" is not supported: an expression cannot change anything',
    { runtime_assets: null },
  ],
  [
    'mutators',
    { metadata, command: 'cat', env_vars: null },
    { command: null },
    'command',
    { timeout: 0, runtime_assets: null, secrets: null },
  ],
  [
    'pipelines',
    {
      metadata,
      workflows: [
        {
          name: 'a',
          filters: [{ name: 'is_incident', type: 'EventFilter', api_version: 'core/v2' }],
          mutator: { name: 'json', type: 'Mutator', api_version: 'core/v2' },
          handler: { name: 'mail', type: 'Handler', api_version: 'core/v2' },
        },
        { name: 'b', handler: { name: 'tcp', type: 'TCPStreamHandler', api_version: 'pipeline/v1' } },
      ],
    },
    { workflows: [{ name: 'a' }] },
    'workflows.0.handler',
    {},
  ],
])('definitions of type %s', (kind, valid, invalid, problem, zero) => {
  const path = `/namespaces/prod/${kind}`;

  test('definitions can be created, are shown as they were sent, and can be deleted', async () => {
    expect(await v2.post(path, valid)).toMatchObject({ status: 201, body: undefined });
    expect(await v2.post(path, valid)).toMatchObject({ status: 409 });
    const shown = { ...zero, ...valid, metadata: { ...metadata, created_by: 'local administrator' } };
    expect((await v2.get(`${path}/x`)).body).toEqual(shown);
    expect((await v2.get(path)).body).toEqual([shown]);
    expect((await v2.get(`/${kind}`)).body).toContainEqual(shown);
    expect(await v2.delete(`${path}/x`)).toMatchObject({ status: 204 });
    expect((await v2.get(path)).body).toEqual([]);
  });

  test('an invalid definition is rejected with a reason', async () => {
    expect(await v2.put(`${path}/x`, { ...valid, ...invalid })).toMatchObject({
      status: 400,
      body: { code: 1, message: expect.stringContaining(problem) },
    });
  });
});

test.each<[kind: string, object: object]>([
  ['checks', { command: 'true', interval: 60 }],
  ['handlers', { type: 'pipe', command: 'cat' }],
  ['filters', { action: 'allow', expressions: ['true'] }],
  ['mutators', { command: 'cat' }],
  ['pipelines', { workflows: [] }],
  ['hooks', { command: 'ps', timeout: 5 }],
  ['assets', { url: 'https://assets.example/x', sha512: 'a1'.repeat(64) }],
  ['roles', { rules: [{ verbs: ['get'], resources: ['checks'] }] }],
  ['entities', { entity_class: 'proxy' }],
])('objects of type %s have no label map after a patch has removed the last label', async (kind, object) => {
  const path = `/namespaces/prod/${kind}`;
  const labelled = { ...metadata, name: 'labelled', labels: { team: 'ops' }, annotations: { note: 'x' } };
  await v2.post(path, { ...object, metadata: labelled });
  expect((await v2.get(`${path}/labelled`)).body).toMatchObject({ metadata: labelled });
  const none = { metadata: { labels: { team: null }, annotations: { note: null } } };
  const patched = await v2.patch(`${path}/labelled`, none);
  expect(patched.status).toBe(200);
  for (const { body } of [patched, await v2.get(`${path}/labelled`)]) {
    expect(body).toMatchObject({ metadata: { name: 'labelled' } });
    expect(body).not.toHaveProperty('metadata.labels');
    expect(body).not.toHaveProperty('metadata.annotations');
  }
});

test('definitions of the configuration are listed in default as configured and cannot be changed over the API', async () => {
  expect((await v2.get('/namespaces/default/handlers/mail')).body).toMatchObject({
    metadata: { annotations: { 'mon/source': 'configuration' } },
    type: 'pipe',
    command: 'cat',
    filters: ['not_silenced', 'often'],
    mon: { severities: ['critical'] },
  });
  expect((await v2.get('/namespaces/default/filters/often')).body).toMatchObject({ action: 'allow' });
  expect((await v2.get('/namespaces/default/mutators/short')).body).toMatchObject({ command: 'head -1', timeout: 0 });
  expect(await v2.delete('/namespaces/default/mutators/short')).toMatchObject({ status: 409, body: { code: 3 } });
});

test('a user who may not change definitions does not see the secrets in them', async () => {
  const path = '/namespaces/prod/handlers/secret';
  const sent = {
    metadata: { name: 'secret', namespace: 'prod' },
    type: 'pipe',
    command: 'notify',
    env_vars: ['DB_PASSWORD=hunter2', 'ROOM=ops'],
    mon: { type: 'webhook', url: 'https://hooks.example/x', secret: 'hunter2', headers: { 'X-Key': 'hunter2' } },
  };
  await using other = await startBackend({
    settings: { api: { user: 'admin', password: 'long enough it is' } },
    batcher: { lingerMs: 0 },
  });
  const admin = new V2Peer(other.url, { Authorization: `Basic ${btoa('admin:long enough it is')}` });
  await admin.post('/namespaces', { name: 'prod' });
  expect(await admin.put(path, sent)).toMatchObject({ status: 201 });
  const granted = (await admin.post('/apikeys', { metadata: {}, username: 'admin', scopes: ['read'] })).body as {
    key: string;
  };
  const reader = new V2Peer(other.url, { Authorization: `Key ${granted.key}` });

  expect((await admin.get(path)).body).toMatchObject({ ...sent, metadata: { created_by: 'admin' } });
  const hidden = {
    env_vars: ['DB_PASSWORD=REDACTED', 'ROOM=REDACTED'],
    mon: { url: 'https://hooks.example/REDACTED', secret: 'REDACTED', headers: 'REDACTED' },
  };
  expect((await reader.get(path)).body).toMatchObject(hidden);
  expect((await reader.get('/handlers')).body).toMatchObject([hidden]);
  const audit = await fetch(`${other.url}/api/mon/v1/audit`, { headers: { Authorization: `Key ${granted.key}` } });
  expect(await audit.text()).not.toMatch(/hunter2|hooks\.example\/x/);
  // A field selector that tests the beginning of the secret must not reveal it either.
  const guess = encodeURIComponent('handler.env_vars matches hunter');
  expect((await reader.get(`/handlers?fieldSelector=${guess}`)).body).toEqual([]);
  expect((await admin.get(`/handlers?fieldSelector=${guess}`)).body).toHaveLength(1);
  expect(await reader.put(path, sent)).toMatchObject({ status: 403, body: { code: 4 } });
});

test('an administrator of one namespace may store checks and filters there, but no handlers and no mutators', async () => {
  await using other = await startBackend({
    settings: { api: { user: 'admin', password: 'long enough it is' } },
    batcher: { lingerMs: 0 },
  });
  const admin = new V2Peer(other.url, { Authorization: `Basic ${btoa('admin:long enough it is')}` });
  await admin.post('/namespaces', { name: 'prod' });
  const grant = { metadata: {}, username: 'admin', scopes: ['admin'], namespace: 'prod' };
  const { key } = (await admin.post('/apikeys', grant)).body as { key: string };
  const kept = new V2Peer(other.url, { Authorization: `Key ${key}` });
  const path = '/namespaces/prod';
  expect(await kept.put(`${path}/checks/x`, { metadata, command: 'true', interval: 60 })).toMatchObject({
    status: 201,
  });
  expect(
    await kept.put(`${path}/filters/x`, { metadata, action: 'allow', expressions: ['event.is_incident'] }),
  ).toMatchObject({ status: 201 });
  for (const [kind, body] of [
    ['handlers', { metadata, type: 'pipe', command: 'id' }],
    ['mutators', { metadata, command: 'id' }],
  ] as const) {
    expect(await kept.put(`${path}/${kind}/x`, body)).toMatchObject({ status: 403, body: { code: 4 } });
    expect(await admin.put(`${path}/${kind}/x`, body)).toMatchObject({ status: 201 });
    expect(await kept.patch(`${path}/${kind}/x`, { command: 'id' })).toMatchObject({ status: 403 });
  }
  expect(await kept.put('/namespaces/default/checks/x', { metadata: { name: 'x' }, command: 'true' })).toMatchObject({
    status: 404,
  });
});

describe('definitions of another namespace', () => {
  test('a check of a namespace is scheduled, merged and handled with the definitions of that namespace', async () => {
    const file = join(await tempDir(), 'handled');
    const place = { namespace: 'prod' };
    await v2.post('/namespaces/prod/filters', {
      metadata: { ...place, name: 'ops-only' },
      action: 'allow',
      expressions: [
        "event.check.labels['team'] == 'ops'",
        'event.check.status == 2',
        "event.check.namespace == 'prod'",
      ],
    });
    await v2.post('/namespaces/prod/mutators', {
      metadata: { ...place, name: 'shout' },
      command: 'echo "$WORD"',
      env_vars: ['WORD=HELP'],
    });
    await v2.post('/namespaces/prod/handlers', {
      metadata: { ...place, name: 'page' },
      type: 'pipe',
      command: `echo "$(cat) $TEAM" >> ${file}`,
      env_vars: ['TEAM=ops'],
      filters: ['is_incident', 'not_silenced', 'ops-only'],
      mutator: 'shout',
    });
    // A handler of the v2 API gets events in the v2 format.
    const log = join(await tempDir(), 'log');
    await v2.post('/namespaces/prod/handlers', {
      metadata: { ...place, name: 'log' },
      type: 'pipe',
      command: `cat > ${log}.part && mv ${log}.part ${log}`,
    });
    const inProd = await AgentPeer.connect(backend.url, 'web-1', 'prod');
    const inDefault = await AgentPeer.connect(backend.url, 'web-1');
    await inProd.join('a', { subscriptions: ['web'] });
    await inDefault.join('b', { subscriptions: ['web'] });

    const check = {
      metadata: { ...place, name: 'disk', labels: { team: 'ops' } },
      command: 'check-disk',
      env_vars: ['LIMIT=90'],
      subscriptions: ['web'],
      handlers: ['page', 'log'],
      interval: 1,
      publish: true,
    };
    await v2.put('/namespaces/prod/checks/disk', check);
    const { check: request } = await inProd.hears('check_request');
    expect(request).toMatchObject({ name: 'disk', command: 'check-disk', env_vars: ['LIMIT=90'] });
    expect(inDefault.heard.some(({ type }) => type === 'check_request')).toBe(false);

    // The check definition supplies the attributes that the result of the agent does not set.
    inProd.say({ type: 'results', results: [{ id: 1, check: { name: 'disk', output: 'full', status: 2 } }] });
    await inProd.waitForAck(1);
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe('HELP ops\n'));
    const logged = await vi.waitFor(async () => JSON.parse(await readFile(log, 'utf8')) as { check: object });
    const { body } = await v2.get('/namespaces/prod/events/web-1/disk');
    expect(logged).toEqual({ ...(body as object), sequence: 0 });
    expect(logged).toMatchObject({
      entity: { metadata: { name: 'web-1', namespace: 'prod' } },
      check: { metadata: { name: 'disk', namespace: 'prod', labels: { team: 'ops' } }, status: 2, state: 'failing' },
    });
    expect((await v2.get('/namespaces/default/events')).body).toEqual([]);

    // A check without a handler causes neither a notification nor an error about a missing handler.
    inProd.say({ type: 'results', results: [{ id: 2, check: { name: 'plain', output: 'full', status: 2 } }] });
    await inProd.waitForAck(2);
    expect(backend.log.messages('error')).not.toContain('unknown handler');

    // After the deletion, agents get no requests for this check.
    expect(await v2.delete('/namespaces/prod/checks/disk')).toMatchObject({ status: 204 });
    const asked = inProd.heard.length;
    await v2.post('/namespaces/prod/checks', { ...check, metadata: { ...place, name: 'load' }, publish: false });
    expect(
      await v2.post('/namespaces/prod/checks/load/execute', { creator: 'ann', subscriptions: ['entity:web-1'] }),
    ).toMatchObject({
      status: 202,
    });
    await vi.waitFor(() => expect(inProd.heard.length).toBeGreaterThan(asked));
    expect(inProd.heard.slice(asked)).toMatchObject([
      { type: 'check_request', check: { name: 'load', api_requested: { creator: 'ann' } } },
    ]);
    inProd.cut();
    inDefault.cut();
  });

  test('a round-robin check of the v2 API runs on its agents in turn', async () => {
    const agents = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const agent = await AgentPeer.connect(backend.url, name, 'prod');
        await agent.join(name, { subscriptions: ['turns'] });
        return agent;
      }),
    );
    const requests = (): number[] =>
      agents.map(({ heard }) => heard.filter(({ type }) => type === 'check_request').length);
    await v2.put('/namespaces/prod/checks/turn', {
      metadata: { name: 'turn', namespace: 'prod' },
      command: 'true',
      interval: 3600,
      subscriptions: ['turns'],
      round_robin: true,
    });
    for (const expected of [1, 2, 3, 4]) {
      await v2.post('/namespaces/prod/checks/turn/execute', {});
      await vi.waitFor(() => expect(requests().reduce((sum, count) => sum + count, 0)).toBe(expected));
    }
    expect(requests()).toEqual([2, 2]);
    for (const agent of agents) agent.cut();
  });
});

test.each<[kind: string, object: object, warning: string]>([
  ['checks', { command: 'x', interval: 60, secrets: [{ name: 'A', secret: 'a' }] }, 'secrets: it is kept, but secrets'],
  ['checks', { command: 'x', interval: 60, fallback_pipeline: { name: 'a' } }, 'fallback_pipeline: it is kept, but'],
  [
    'checks',
    { command: 'x', interval: 60, output_metric_thresholds: [{}] },
    'output_metric_thresholds: it is kept, but',
  ],
  ['handlers', { type: 'pipe', command: 'x', runtime_assets: ['a'] }, 'runtime_assets: it is kept, but assets'],
  [
    'filters',
    { action: 'allow', expressions: ['true'], runtime_assets: ['a'] },
    'runtime_assets: it is kept, but assets',
  ],
  ['mutators', { command: 'x', secrets: [{ name: 'A', secret: 'a' }] }, 'secrets: it is kept, but secrets'],
  [
    'checks',
    { command: 'x {{ upper .name }}', interval: 60 },
    'only agents of Sensu Go can run it, because of a token: {{ upper .name }} cannot be read',
  ],
  [
    'checks',
    { command: 'x', interval: 60, env_vars: ['A={{ if .x }}'] },
    'because of a token: {{ if .x }} cannot be read',
  ],
  ['pipelines', { workflows: [], continue_on_error: true }, 'continue_on_error: it is kept, but each workflow'],
  [
    'pipelines',
    { workflows: [{ name: 'w', handler: { name: 'h', type: 'TCPStreamHandler', api_version: 'pipeline/v1' } }] },
    'the workflow w does nothing: handlers of the type pipeline/v1.TCPStreamHandler are not supported',
  ],
])('the response to storing %s warns about attributes without effect: %j', async (kind, object, warning) => {
  const path = `/namespaces/prod/${kind}`;
  const named = { ...object, metadata: { name: 'idle', namespace: 'prod' } };
  for (const { status, headers } of [await v2.post(path, named), await v2.put(`${path}/idle`, named)]) {
    expect([status, headers.get('warning')]).toEqual([201, expect.stringContaining(warning)]);
  }
  const { headers } = await v2.patch(`${path}/idle`, { metadata: { labels: { a: 'b' } } });
  expect(headers.get('warning')).toContain(warning);
  expect(await v2.delete(`${path}/idle`)).toMatchObject({ status: 204 });
});

test('the response to storing a definition without such attributes contains no warning', async () => {
  const { headers } = await v2.put('/namespaces/prod/checks/plain', {
    metadata: { name: 'plain', namespace: 'prod' },
    command: 'x',
    interval: 60,
    secrets: [],
    runtime_assets: ['a'],
    check_hooks: [],
    output_metric_thresholds: null,
  });
  expect(headers.has('warning')).toBe(false);
});
