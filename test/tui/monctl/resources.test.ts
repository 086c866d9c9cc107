import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { asking } from '../../support/asking.ts';
import { NOW, runMonctl, spawnMonctl } from '../../support/run-monctl.ts';
import type { MonctlRun } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';
import type { RunningBackend } from '../../support/running-backend.ts';

const SETTINGS = {
  checks: {
    disk: { command: 'df -h', subscribers: ['web', 'db'], interval: 60 },
    report: { command: 'report', subscribers: ['db'], cron: '0 5 * * *' },
    ask: { command: 'ask', subscribers: ['web'], publish: false },
  },
  mail: { password: 'hunter2' },
};

/** A silence in the form of a dump. */
interface Dumped {
  readonly spec: { readonly mon: { entry: object; use?: object } };
}

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend({ settings: SETTINGS });
  api = openApiClient({ backend: backend.url, env: {} });
});
afterAll(() => backend[Symbol.asyncDispose]());

function monctl(line: readonly string[], options?: Parameters<typeof runMonctl>[2]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url, USER: 'alice' }, options);
}

/** Returns the lines of a table without its header, with columns separated by one bar. */
async function rows(...line: string[]): Promise<string[]> {
  const { stdout } = await monctl(line);
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.trim().replaceAll(/ {2,}/g, '|'));
}

async function json(...line: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await monctl([...line, '--output', 'json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function fileWith(name: string, text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, name), text);
  return join(dir, name);
}

/** Returns a check with a daily subdue window. */
const subduedFrom = (begin: string, end: string): object => ({
  command: 'x',
  interval: 60,
  subdues: [{ begin, end, repeat: ['daily'] }],
});

test('monctl check info and event explain say that a check is subdued', async () => {
  const objects = [
    {
      type: 'CheckConfig',
      metadata: { name: 's-now' },
      spec: subduedFrom('2026-01-01T00:00:00Z', '2026-01-01T23:59:59Z'),
    },
    {
      type: 'CheckConfig',
      metadata: { name: 's-once' },
      spec: subduedFrom('2999-01-01T00:00:00Z', '2999-01-01T01:00:00Z'),
    },
  ];
  expect(await monctl(['create', '-f', '-'], { input: JSON.stringify(objects) })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const note = 's-now is in a subdue window: the backend does not schedule it now\n';
  expect(await monctl(['check', 'info', 's-now'])).toMatchObject({ code: 0, stderr: note });
  expect(await monctl(['check', 'info', 's-now', '--namespace', 'default'])).toMatchObject({ code: 0, stderr: note });
  expect(await monctl(['check', 'info', 's-once'])).toMatchObject({ code: 0, stderr: '' });
  await api.submitResults([
    { name: 's-now', source: 's-web', status: 2, output: '' },
    { name: 's-once', source: 's-web', status: 2, output: '' },
  ]);
  const explained = await monctl(['event', 'explain', 's-web', 's-now']);
  expect(explained.stdout).toMatch(/^subdued +the check is in a subdue window/m);
  expect((await monctl(['event', 'explain', 's-web', 's-once'])).stdout).not.toMatch(/subdued/);
  await monctl(['delete', '-f', '-', '--skip-confirm'], { input: JSON.stringify(objects) });
});

test('monctl rejects a check with invalid subdue windows and names their position', async () => {
  const spec = { command: 'x', interval: 60, subdues: [{ begin: 'now', end: '2026-01-01T23:59:59Z' }] };
  const input = JSON.stringify({ type: 'CheckConfig', metadata: { name: 's-bad' }, spec });
  expect((await monctl(['create', '-f', '-'], { input })).stdout).toContain('subdues.0.begin: must be a time such as');
});

/** Returns a wrapped pipeline whose workflows all run the handler `pager`. */
const page = (name: string, ...workflows: string[]): string =>
  JSON.stringify({
    type: 'Pipeline',
    api_version: 'core/v2',
    metadata: { name },
    spec: {
      workflows: workflows.map((workflow) => ({
        name: workflow,
        filters: [{ name: 'is_incident', type: 'EventFilter', api_version: 'core/v2' }],
        handler: { name: 'pager', type: 'Handler', api_version: 'core/v2' },
      })),
    },
  });

test('monctl creates a pipeline from a file, lists, shows, dumps and deletes it', async () => {
  const file = await fileWith('pipelines.json', `${page('p-two', 'day', 'night')}\n${page('p-none')}\n`);
  expect(await monctl(['create', '-f', file])).toEqual({
    code: 0,
    stdout: 'Created Pipeline default/p-two\nCreated Pipeline default/p-none\n',
    stderr: '',
  });
  expect(await rows('pipeline', 'list', '--namespace', 'default')).toEqual([
    'p-none',
    'p-two|day (pager), night (pager)',
  ]);
  expect(await rows('pipeline', 'list', '--all-namespaces')).toContain('default|p-none');
  const shown = { metadata: { name: 'p-two', namespace: 'default' }, workflows: [{ name: 'day' }, { name: 'night' }] };
  expect(await json('pipeline', 'info', 'p-two')).toMatchObject(shown);
  expect((await monctl(['dump', 'pipelines'])).stdout).toContain('type: Pipeline');
  expect(await monctl(['pipeline', 'delete', 'p-two', '--skip-confirm'])).toMatchObject({ stdout: 'Deleted\n' });
  expect(await monctl(['pipeline', 'delete', 'p-two', '--skip-confirm'])).toMatchObject({
    stderr: 'monctl: there is no pipeline p-two in default: see monctl pipeline list --namespace default\n',
  });
  const changes = (await json('audit', 'list')) as readonly { readonly action: string; readonly target: string }[];
  expect(changes.filter(({ target }) => target === 'pipelines/default/p-two').map(({ action }) => action)).toEqual(
    expect.arrayContaining(['definition.create', 'definition.delete']),
  );
});

test('monctl creates a client by options and from a file, lists, shows and deletes it', async () => {
  expect(
    await monctl(['client', 'create', 'c-router', '--address', '192.0.2.1', '--subscriptions', 'c-net, c-core']),
  ).toEqual({
    code: 0,
    stdout: 'saved client c-router\n',
    stderr: '',
  });
  const file = await fileWith(
    'client.yml',
    'name: c-switch\naddress: 192.0.2.2\nsubscriptions: [c-net]\nowner: net team\n',
  );
  await monctl(['client', 'create', '--file', file, '--keepalives']);
  expect(await json('client', 'info', 'c-switch')).toMatchObject({
    name: 'c-switch',
    address: '192.0.2.2',
    subscriptions: ['c-net', 'client:c-switch'],
    owner: 'net team',
    keepalives: true,
  });
  expect(await rows('client', 'list', '--subscription', 'c-net')).toEqual([
    expect.stringMatching(/^c-router\|192\.0\.2\.1\|-\|1\.9\.0\|c-net, c-core, client:c-router$/),
    expect.stringMatching(/^c-switch\|/),
  ]);

  await api.submitResults([0, 1].map((status) => ({ source: 'c-switch', name: 'ports', status, output: 'x' })));
  expect(await rows('client', 'history', 'c-switch')).toEqual([expect.stringMatching(/^WARN\|ports\|\w+\|0 1$/)]);
  expect((await monctl(['client', 'info', 'c-switch'])).stdout).toMatch(/^events +1 event: 1 warning$/m);

  expect(await monctl(['client', 'delete', 'c-switch', '--invalidate-expire', '1h'])).toMatchObject({ code: 0 });
  expect(await monctl(['client', 'info', 'c-switch'])).toMatchObject({ code: 3 });
  expect(await monctl(['client', 'history', 'c-switch'])).toMatchObject({ code: 3 });
  expect(await monctl(['client', 'delete', 'c-switch'])).toMatchObject({ code: 3 });
});

test('monctl submits, lists, shows and deletes results', async () => {
  const submit = ['result', 'submit', 'r-web', 'disk'];
  expect(await monctl([...submit, 'crit', 'full', '--ttl', '25h', '--handlers', 'mail, chat'])).toMatchObject({
    code: 0,
  });
  expect(await api.result('r-web', 'disk')).toMatchObject({
    check: { status: 2, output: 'full', ttl: 90_000, handlers: ['mail', 'chat'] },
  });
  await monctl([...submit, '1', '-'], { input: 'from a pipe\n' });
  expect(await rows('result', 'list', '--client', 'r-web')).toEqual([
    expect.stringMatching(/^WARN\|r-web\|disk\|\w+\|from a pipe$/),
  ]);
  expect(await json('result', 'list', '--check', 'disk', '--status', 'ok')).toEqual([]);
  expect((await monctl(['result', 'info', 'r-web', 'disk'])).stdout).toMatch(/history +2 1\n\nfrom a pipe\n$/);

  expect(await monctl(['result', 'delete', 'r-web', 'disk'])).toMatchObject({
    stdout: 'deleted the result r-web/disk\n',
  });
  expect(await monctl(['result', 'delete', 'r-web', 'disk'])).toMatchObject({ code: 3 });
  expect(await monctl(['result', 'info', 'r-web', 'disk'])).toMatchObject({ code: 3 });
});

test('monctl reads many results from a file and names the first rejected result', async () => {
  const file = await fileWith(
    'results.json',
    JSON.stringify([
      { source: 'm-1', name: 'a', status: 0, output: '' },
      { source: 'm-1', name: 'no name', status: 0, output: '' },
    ]),
  );
  expect(await monctl(['result', 'submit', '--file', file])).toEqual({
    code: 2,
    stdout: 'submitted 1 result\n',
    stderr: expect.stringMatching(/^monctl: 1 result rejected; number 1: name: /),
  });
  expect(
    await monctl(['result', 'submit', '--file', '-'], { input: '{"source": "m-2", "name": "b", "output": "one"}' }),
  ).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^submitted m-2\/b at /),
  });
});

test('monctl lists and shows checks as they are defined', async () => {
  expect(await rows('check', 'list')).toEqual([
    'ask|on request|-|web|ask',
    expect.stringMatching(/^disk\|every 60 s\|in [\dwdhms]+\|web, db\|df -h$/),
    expect.stringMatching(/^report\|0 5 \* \* \*\|in [\dwdhms]+\|db\|report$/),
  ]);
  expect(await rows('check', 'list', '--subscription', 'web')).toHaveLength(2);
  expect(await json('check', 'info', 'disk')).toEqual({
    ...SETTINGS.checks.disk,
    name: 'disk',
    next_run: expect.any(Number),
    results: { ok: expect.any(Number), warning: 0, critical: expect.any(Number), unknown: 0 },
  });
  expect(await monctl(['check', 'info', 'nope'])).toMatchObject({ code: 3 });
});

test('monctl requests, renames and deletes a check', async () => {
  expect(await monctl(['check', 'request', 'ask', '--reason', 'CHG-1'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^requested ask at /),
  });
  expect(await monctl(['check', 'request', 'nope'])).toMatchObject({ code: 3 });

  await api.submitResults([0, 2].map((status) => ({ source: 'k-1', name: 'k-old', status, output: 'x' })));
  expect(await monctl(['check', 'rename', 'k-old', 'k-new'])).toMatchObject({
    code: 0,
    stdout: 'renamed k-old to k-new on 1 client\n',
  });
  expect((await api.result('k-1', 'k-new'))?.check.history).toEqual([0, 2]);
  expect(await monctl(['check', 'rename', 'disk', 'k-disk'])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('still defined'),
  });

  expect(await monctl(['check', 'delete', 'k-new', '--results'])).toMatchObject({ code: 0 });
  expect(await api.results({ check: 'k-new' })).toEqual([]);
  expect(await api.event('k-1', 'k-new')).toBeUndefined();
});

test('monctl lists an aggregate, shows its details and deletes it', async () => {
  await api.submitResults(
    [0, 2, 2].map((status, at) => ({
      source: `a-${String(at)}`,
      name: 'http',
      status,
      output: status === 0 ? 'fine' : 'timeout',
      aggregates: ['shop:web'],
    })),
  );
  expect(await rows('aggregate', 'list')).toEqual(['shop:web|3|1|2|0|0|1']);
  expect(await json('aggregate', 'info', 'shop:web', '--max-age', '5m')).toMatchObject({
    clients: 3,
    checks: 1,
    results: { ok: 1, critical: 2, total: 3, stale: 0 },
  });
  expect(await rows('aggregate', 'clients', 'shop:web', '--limit', '2')).toEqual(['a-0|http', 'a-1|http']);
  expect(await rows('aggregate', 'checks', 'shop:web')).toEqual(['http|a-0, a-1, a-2']);
  expect(await rows('aggregate', 'results', 'shop:web', 'critical')).toEqual(['http|2|timeout|a-1, a-2']);
  expect(await monctl(['aggregate', 'delete', 'shop:web'])).toMatchObject({ code: 0 });
  for (const call of [['info'], ['clients'], ['checks'], ['delete']]) {
    expect(await monctl(['aggregate', ...call, 'shop:web'])).toMatchObject({ code: 3 });
  }
  expect(await monctl(['aggregate', 'results', 'shop:web', 'ok'])).toMatchObject({ code: 3 });
});

test('monctl stores, lists, shows and deletes a stash', async () => {
  await monctl(['stash', 'create', 'deploy/web one', '--content', '{"version": 12}', '--expire', '1d']);
  await monctl(['stash', 'create', 'notes', '--file', '-'], { input: 'text: from a pipe\n' });
  expect(await rows('stash', 'list')).toEqual([
    'deploy/web one|in 1d|{"version":12}',
    'notes|never|{"text":"from a pipe"}',
  ]);
  expect(await rows('stash', 'list', '--prefix', 'deploy/')).toHaveLength(1);
  expect((await monctl(['stash', 'info', 'deploy/web one'])).stdout).toBe('version: 12\n');
  expect(await monctl(['stash', 'delete', 'deploy/web one'])).toMatchObject({ code: 0 });
  expect(await monctl(['stash', 'info', 'deploy/web one'])).toMatchObject({ code: 3 });
  expect(await monctl(['stash', 'delete', 'deploy/web one'])).toMatchObject({ code: 3 });
});

test('monctl shows a silence with its effect and changes its end', async () => {
  await api.submitResult({ source: 's-1', name: 's-load', status: 2, output: 'x' });
  await monctl(['silenced', 'create', '--check', 's-load', '--reason', 'CHG-2', '--expire', '1h']);
  const { stdout } = await monctl(['silenced', 'info', '*:s-load']);
  expect(stdout).toMatch(/^silences now +1 event: 1 critical$/m);
  expect(stdout).toMatch(/^suppressed +no notifications$/m);
  expect(stdout).toMatch(/^last suppressed +never$/m);
  expect(await monctl(['silenced', 'info', '*:nope'])).toMatchObject({ code: 3 });
  expect(await monctl(['silenced', 'update', '*:s-load', '8h'])).toMatchObject({ code: 0 });
  const entry = await api.silencedEntry('*:s-load');
  expect(entry).toMatchObject({ reason: 'CHG-2', creator: expect.stringMatching(/^alice@/) });
  expect(entry?.expire).toBeGreaterThan(28_000);
  expect(await monctl(['silenced', 'update', '*:nope', '8h'])).toMatchObject({ code: 3 });
  expect(await monctl(['silenced', 'delete', '*:s-load'])).toMatchObject({ code: 0 });
});

test('monctl finds an idle silence and shows since when it has matched no event', async () => {
  const ask = asking(backend.url);
  await monctl(['silenced', 'create', '--check', 'i-load', '--reason', 'busy', '--creator', 'bob']);
  expect(await rows('silenced', 'list', '--idle')).toEqual([]);
  // The restore of a changed dump marks the silence as idle.
  const { objects } = (await ask('GET', '/api/mon/v1/dump/Silenced')).body as { objects: Dumped[] };
  const [seconds, day] = [Math.floor(Date.now() / 1000), 86_400];
  const idle = { since: seconds - 9 * day, at: seconds - 2 * day, ends_at: seconds + 5 * day + 60 };
  for (const { spec } of objects) {
    spec.mon.entry = { ...spec.mon.entry, idle };
    spec.mon.use = { suppressed: 0, last_suppressed: null, unmatched_since: idle.since };
  }
  expect(await ask('POST', '/api/mon/v1/restore', { objects })).toMatchObject({ status: 200 });
  const list = await monctl(['silenced', 'list', '--idle']);
  expect(list.stdout).toMatch(/^SILENCE .* IDLE$/m);
  expect(list.stdout).toMatch(/^\*:i-load .*no match for .*, ends in .* unless it matches an event$/m);
  expect(await json('silenced', 'list', '-q', 'idle')).toMatchObject([{ id: '*:i-load', idle }]);
  expect(await json('silenced', 'list', '-q', '!idle')).toEqual([]);
  expect((await monctl(['silenced', 'info', '*:i-load'])).stdout).toMatch(/^idle +no match for /m);
  expect(await monctl(['silenced', 'list', '--idle', '--at', '1h'])).toMatchObject({ code: 2 });
  expect(await monctl(['silenced', 'delete', '*:i-load'])).toMatchObject({ code: 0 });
});

test('monctl event delete resolves the event', async () => {
  await api.submitResult({ source: 'e-1', name: 'e-load', status: 2, output: 'x' });
  expect(await monctl(['event', 'delete', 'e-1', 'e-load'])).toMatchObject({ code: 0 });
  expect(await api.event('e-1', 'e-load')).toBeUndefined();
});

test('monctl prints the info, health and settings of the backend', async () => {
  const { stdout } = await monctl(['info']);
  expect(stdout).toMatch(/^version +1\.0\.0 \(API level 1\.9\.0\)$/m);
  expect(stdout).toMatch(/^store +open$/m);
  expect(stdout).toMatch(/^server .* client_monitor/m);

  expect(await monctl(['health'])).toEqual({ code: 0, stdout: 'healthy\n', stderr: '' });
  expect(await monctl(['health', '--consumers', '1000'])).toEqual({
    code: 8,
    stdout: expect.stringMatching(/^unhealthy\nkeepalive consumers \(\d+\) less than min_consumers \(1000\)\n/),
    stderr: 'monctl: the backend is unhealthy\n',
  });
  expect(await monctl(['health', '--deep', '-o', 'json'])).toMatchObject({ code: 0 });

  expect(await json('settings')).toMatchObject({ checks: SETTINGS.checks, mail: { password: 'REDACTED' } });
});

test('the monctl program reads standard input and reports failures by its exit code', async () => {
  expect(
    await spawnMonctl(['result', 'submit', 'p-1', 'p', '0', 'from a script'], { MON_BACKEND: backend.url }),
  ).toMatchObject({ code: 0 });
  expect((await api.result('p-1', 'p'))?.check.output).toBe('from a script');
  expect(await spawnMonctl(['client', 'info', 'p-2'], { MON_BACKEND: backend.url })).toMatchObject({ code: 3 });
});

test.each<[string[], RegExp, string?]>([
  [['client', 'create'], /set the name of the client: as CLIENT, or as "name" in the file/],
  [['client', 'create', '--file', '/does/not/exist'], /--file \/does\/not\/exist cannot be read/],
  [['client', 'create', '--file', '-'], /--file must contain one client/, '[]'],
  [['client', 'create', '--file', '-'], /standard input is neither JSON nor YAML/, '{"a": [}'],
  [['client', 'create', 'a b'], /name: must be word characters/],
  [['client', 'delete'], /select one client with CLIENT, or several clients with --selector/],
  [['client', 'delete', '--selector', ' '], /--selector needs a search/],
  [['client', 'delete', 'a', '--selector', 'b'], /use CLIENT or --selector, not both/],
  [['client', 'delete', '--selector', 'a', '--invalidate'], /can only be used with a single CLIENT/],
  [['client', 'delete', '--selector', '(a'], /q: /],
  [['client', 'delete', 'a', '--invalidate-expire', 'soon'], /--invalidate-expire "soon" is not a duration/],
  [['result', 'submit', 'a', 'b'], /missing arguments/],
  [['result', 'submit', 'a', 'b', 'bad'], /STATUS must be ok, warn, crit, unknown or a number/],
  [['result', 'submit', 'a', '--file', '-'], /--file contains a list/, '[]'],
  [['result', 'list', '--status', 'bad'], /--status must be/],
  [['aggregate', 'results', 'a', 'bad'], /SEVERITY must be ok, warning, critical, unknown, not "bad"/],
  [['stash', 'create', 'a'], /set the content/],
  [['stash', 'create', 'a', '--content', '{'], /--content is not JSON/],
  [['stash', 'create', 'a', '--content', '[]'], /a stash must be an object/],
  [['silenced', 'update', 'a:b', 'soon'], /DURATION "soon" is not a duration/],
  [['health', '--consumers', 'x'], /--consumers must be a whole number of at least 0, not x/],
  [['completion', 'csh'], /SHELL must be bash, zsh, fish, not "csh"/],
])('the command monctl %j with an invalid input exits with 2', async (line, message, input = '') => {
  const { code, stdout, stderr } = await monctl(line, { input });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});

test('monctl stores a result with a past time of execution', async () => {
  await monctl(['result', 'submit', 't-1', 'backup', 'ok', 'done', '--executed', String(NOW - 3600)]);
  expect((await api.result('t-1', 'backup'))?.check.executed).toBe(NOW - 3600);
});
