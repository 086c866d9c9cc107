import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let dir: string;
let source: RunningBackend;
/** The API key of an administrator of the backend that is dumped. */
let key: string;

const HOUR_S = 3600;

const DEFINITIONS = ['default', 'staging']
  .map(
    (namespace) => `
{type: EventFilter, api_version: core/v2, metadata: {name: night, namespace: ${namespace}}, spec: {action: allow, expressions: ["event.check.occurrences > 2"]}}
---
{type: Mutator, api_version: core/v2, metadata: {name: shorten, namespace: ${namespace}}, spec: {command: shorten, timeout: 5}}
---
{type: Handler, api_version: core/v2, metadata: {name: pager, namespace: ${namespace}, labels: {team: ops}}, spec: {type: pipe, command: page, filters: [night], mutator: shorten}}
---
{type: CheckConfig, api_version: core/v2, metadata: {name: http, namespace: ${namespace}}, spec: {command: "curl -sf x", interval: 60, publish: false, subscriptions: [web], handlers: [pager], labels: {own: attribute}}}
`,
  )
  .join('---');

const STATE = `
{type: Entity, metadata: {name: db-1, namespace: staging, labels: {tier: db}}, spec: {entity_class: agent, subscriptions: [db], system: {os: linux}}}
---
{type: Event, metadata: {namespace: staging}, spec: {entity: {metadata: {name: db-1}}, check: {metadata: {name: disk}, status: 1, output: "90 %"}}}
---
{type: Silenced, metadata: {name: "entity:db-1:disk", namespace: staging}, spec: {subscription: "entity:db-1", check: disk, expire: 7200, reason: CHG-1}}
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  source = await startBackend();
  const api = openApiClient({ backend: source.url, env: {} });
  await done(on(source, 'namespace', 'create', 'staging'));
  for (const objects of [DEFINITIONS, STATE]) {
    await done(on(source, { input: objects }, 'create', '-f', '-'));
  }
  await api.saveClient({ name: 'web-1', address: '192.0.2.1', subscriptions: ['web'], password: 'hunter2', rack: 7 });
  const statuses = [0, 2, 2, 1, 0, 2, 3, 130, 2];
  for (const status of statuses) {
    await api.submitResult({
      source: 'web-1',
      name: 'http',
      status,
      output: `is ${String(status)}\n`,
      handlers: ['pager'],
    });
  }
  await api.submitResult({ source: 'web-1', name: 'load', status: 0, output: '0.1\u001b[31m "quoted" ja: nein\n' });
  await api.silence({
    subscription: 'web',
    check: 'http',
    expire: HOUR_S,
    reason: 'known',
    creator: 'alice',
    expire_on_resolve: true,
  });
  await api.silence({ check: 'load', begin: Math.floor(Date.now() / 1000) + HOUR_S });
  key = await administrator(source);
});
afterAll(async () => {
  await source[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

/** Throws an error if a command that prepares the tests has failed. */
async function done(run: Promise<MonctlRun>): Promise<void> {
  const { code, stderr } = await run;
  if (code !== 0) throw new Error(stderr);
}

/** Creates users and an API key, and returns the key. From then on the backend requires credentials. */
async function administrator(backend: RunningBackend): Promise<string> {
  const create = ['user', 'create', 'root', '--groups', 'cluster-admins', '--password-file', '-'];
  await done(on(backend, { input: 'correct horse' }, ...create));
  const env = { MON_BACKEND: backend.url, MON_CREDENTIALS: 'root:correct horse' };
  const granted = await runMonctl(['api-key', 'create', 'root', '--description', 'backup', '-o', 'json'], env);
  await runMonctl(['user', 'create', 'bob', '--groups', 'viewers', '--password-file', '-'], env, {
    input: 'battery staple',
  });
  return (JSON.parse(granted.stdout) as { key: string }).key;
}

function on(backend: RunningBackend, ...line: readonly (string | { readonly input: string })[]): Promise<MonctlRun> {
  const [first, ...rest] = line;
  const options = typeof first === 'object' ? first : {};
  const words = (typeof first === 'object' ? rest : line) as readonly string[];
  return runMonctl(
    words,
    { MON_BACKEND: backend.url, ...(backend === source && key && { MON_API_KEY: key }) },
    options,
  );
}

async function dumped(backend: RunningBackend, name: string, ...options: string[]): Promise<string> {
  const file = join(dir, name);
  const { code, stderr } = await on(backend, 'dump', 'all', '--all-namespaces', '--file', file, ...options);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ objects in /)]);
  return file;
}

/**
 * Removes the counts of unused silences from a dump, because their idle time starts anew when they are restored (spec,
 * idleness 2).
 */
function uncounted(dump: string): string {
  return dump
    .replaceAll(/,"use":\{"suppressed":0,"last_suppressed":null,"unmatched_since":\d+\}/g, '')
    .replaceAll(/\n +use:\n +suppressed: 0\n +last_suppressed: null\n +unmatched_since: \d+/g, '');
}

test.each(['yaml', 'wrapped-json'])(
  'a dump in the format %s that is restored into an empty backend yields the same objects',
  async (format) => {
    const before = await dumped(source, `before-${format}`, '--format', format);
    await using target = await startBackend();
    const restored = await on(target, 'restore', before);
    expect(restored.stderr).toBe('20 created, 0 replaced, 1 unchanged, 0 skipped\n');
    expect(restored.code).toBe(0);
    const after = await dumped(target, `after-${format}`, '--format', format);
    expect(uncounted(await readFile(after, 'utf8'))).toBe(uncounted(await readFile(before, 'utf8')));
    const again = await on(target, 'restore', before, '--quiet');
    expect(again).toEqual({ code: 0, stdout: '', stderr: '0 created, 0 replaced, 21 unchanged, 0 skipped\n' });
  },
);

test('the v1 and v2 APIs show the same objects after a restore as before the dump', async () => {
  const file = await dumped(source, 'faces');
  await using target = await startBackend();
  await on(target, 'restore', file);
  const shown = async (backend: RunningBackend): Promise<unknown> => {
    const api = openApiClient({ backend: backend.url, env: { MON_API_KEY: key } });
    const core = await on(backend, 'event', 'list', '--all-namespaces', '-o', 'json');
    return {
      clients: await api.clients(),
      results: await api.results(),
      events: await api.events(),
      silenced: (await api.silencedDetails()).map((entry) => Object.assign(entry, { expire: 0 })),
      core: JSON.parse(core.stdout) as unknown,
    };
  };
  expect(await shown(target)).toEqual(await shown(source));
});

test('the occurrences of an event continue after a restore', async () => {
  const file = await dumped(source, 'counting');
  await using target = await startBackend();
  await on(target, 'restore', file);
  const api = openApiClient({ backend: target.url, env: { MON_API_KEY: key } });
  const before = await api.event('web-1', 'http');
  await api.submitResult({ source: 'web-1', name: 'http', status: 2, output: 'still' });
  expect(await api.event('web-1', 'http')).toMatchObject({
    id: before?.id,
    occurrences: (before?.occurrences ?? 0) + 1,
    last_ok: before?.last_ok,
    silenced: true,
  });
});

test('a dump file is private, appears only when complete, and overwrites no file without --force', async () => {
  const file = await dumped(source, 'mode');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await on(source, 'dump', 'all', '--file', file)).toMatchObject({ code: 6 });
  expect(await on(source, 'dump', 'all', '--file', file, '--force')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^only default was dumped, but there are also staging: see --all-namespaces\n/,
    ) as string,
  });
});

test('a monctl dump contains secrets in full, and API keys and passwords as hashes', async () => {
  const text = await readFile(await dumped(source, 'secrets'), 'utf8');
  expect(text).toContain('hunter2');
  // The key is `mk_ID_SECRET`; the secret may also contain underscores.
  expect(text).not.toContain(key.split('_').slice(2).join('_'));
  expect(text).not.toContain('correct horse');
  expect(text).toMatch(/password_hash: \$2/);
  expect(text).toMatch(/hash: sha256\$/);
});

test('a monctl dump contains exactly the requested types and namespaces', async () => {
  const types = async (...line: string[]): Promise<string[]> => {
    const { code, stdout } = await on(source, 'dump', ...line);
    expect(code).toBe(0);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as { type: string; metadata: { namespace?: string } } | null)
      .flatMap((object) => (object === null ? [] : [`${object.type} ${object.metadata.namespace ?? ''}`.trim()]));
  };
  expect(await types('checks,core/v2.Handler', '--namespace', 'staging')).toEqual([
    'Handler staging',
    'CheckConfig staging',
  ]);
  expect(await types('all', '--omit', 'events,entities,silenced,users,apikeys,handlers,filters,mutators')).toEqual([
    'Namespace',
    'Namespace',
    'CheckConfig default',
  ]);
  expect(await on(source, 'dump', 'checkz')).toMatchObject({ code: 2 });
});

test('monctl restore rejects a truncated file before anything is sent', async () => {
  const file = await dumped(source, 'whole');
  const text = await readFile(file, 'utf8');
  await using target = await startBackend();
  const lines = text.split('\n');
  for (const kept of [lines.length - 2, Math.floor(lines.length / 2)]) {
    await writeFile(join(dir, 'cut'), lines.slice(0, kept).join('\n'));
    const { code, stdout } = await on(target, 'restore', join(dir, 'cut'));
    expect([code, stdout]).toEqual([2, '']);
  }
  expect((await on(target, 'namespace', 'list', '-o', 'json')).stdout).not.toContain('staging');
});

test('the dry run of monctl restore says what would happen to each object and sends nothing', async () => {
  const file = await dumped(source, 'dry');
  await using target = await startBackend();
  const dry = await on(target, 'restore', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '20 created, 0 replaced, 1 unchanged, 0 skipped; nothing was sent\n' });
  expect(await on(target, 'namespace', 'list', '-o', 'json')).toMatchObject({ code: 0 });
  expect((await on(target, 'dump', 'entities', '--all-namespaces')).stdout).not.toContain('db-1');
});

test('monctl restore applies an edited dump and reports the attributes that are lost', async () => {
  const text = await readFile(await dumped(source, 'edited'), 'utf8');
  await writeFile(join(dir, 'edited'), text.replace('tier: db', 'tier: cache'));
  await using target = await startBackend();
  const { code, stdout } = await on(target, 'restore', join(dir, 'edited'), '--quiet');
  expect(code).toBe(9);
  expect(stdout).toMatch(/^created Entity staging\/db-1\n {2}mon: the object was edited after the dump/);
  const { stdout: info } = await on(target, 'entity', 'info', 'db-1', '--namespace', 'staging', '-o', 'json');
  expect(JSON.parse(info)).toMatchObject({ metadata: { labels: { tier: 'cache' } } });
});

test('monctl restore restores an object that will not work as intended and prints a warning', async () => {
  const text = `{"type":"EventFilter","api_version":"core/v2","metadata":{"name":"typo"},
    "spec":{"action":"allow","expressions":["event.chek.status == 2"]}}`;
  await writeFile(join(dir, 'typo'), text);
  const warning =
    'the expression "event.chek.status == 2" uses event.chek, ' +
    'which has no value unless the data contains an attribute of that name: did you mean event.check?';
  await using target = await startBackend();
  const { code, stdout, stderr } = await on(target, 'restore', join(dir, 'typo'));
  expect([code, stdout]).toEqual([0, 'created EventFilter default/typo\n']);
  expect(stderr.split('\n')).toContain(`EventFilter default/typo: ${warning}`);
  const again = await on(target, 'restore', join(dir, 'typo'), '-o', 'json');
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'unchanged', lost: [], warnings: [warning] });
});

test('monctl restore continues after a rejected object with the other objects of the same page', async () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  const text = `{"type":"Namespace","api_version":"core/v2","metadata":{},"spec":{"name":"fine"}}
    {"type":"CheckConfig","api_version":"core/v2","metadata":{"name":"deep"},"spec":{"command":"x","extra":${deep}}}
    {"type":"CheckConfig","api_version":"core/v2","metadata":{"name":"last","namespace":"fine"},"spec":{"command":"x","interval":60}}`;
  await writeFile(join(dir, 'deep'), text);
  await using target = await startBackend();
  const { code, stdout } = await on(target, 'restore', join(dir, 'deep'));
  expect(code).toBe(9);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'created Namespace fine',
    expect.stringMatching(/^skipped CheckConfig default\/deep: the body is nested deeper than/),
    'created CheckConfig fine/last',
  ]);
});

test('the entity limit applies to monctl restore', async () => {
  const file = await dumped(source, 'limit');
  await using target = await startBackend({ settings: { 'entity-limit': 0 } });
  const dry = await on(target, 'restore', file, '--quiet', '--dry-run');
  const { code, stdout } = await on(target, 'restore', file, '--quiet');
  expect(dry).toMatchObject({ code: 9, stdout });
  expect(code).toBe(9);
  expect(stdout).toMatch(
    /^skipped Entity staging\/db-1: entity-limit is reached: raise it.*This functionality requires a valid /m,
  );
  expect(stdout).toMatch(/^skipped Event staging\/db-1\/disk: there is no entity db-1 in staging/m);
});

test('the users of a restored dump require credentials, except for local programs', async () => {
  const file = await dumped(source, 'guarded');
  await using target = await startBackend();
  expect(await on(target, 'restore', file, '--quiet')).toMatchObject({ code: 0, stdout: '' });
  expect((await fetch(`${target.url}/events`)).status).toBe(401);
  expect(await on(target, 'restore', file, '--quiet')).toMatchObject({ code: 0, stdout: '' });
});

test('a dump without the scope admin contains the readable objects and names the missing ones', async () => {
  const env = { MON_BACKEND: source.url, MON_CREDENTIALS: 'bob:battery staple' };
  const { code, stdout, stderr } = await runMonctl(['dump', 'checks,users,entities', '--all-namespaces'], env);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^CheckConfig: as shown by the API, because .*admin/m);
  expect(stderr).toMatch(/^User: skipped, because /m);
  expect(stdout).toContain('name: http');
  expect(stdout).not.toContain('hunter2');
});
