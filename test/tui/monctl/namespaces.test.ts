import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
let made: MonctlRun;

beforeAll(async () => {
  backend = await startBackend({
    settings: { checks: { disk: { command: 'df', subscribers: ['web'], interval: 60 } } },
  });
  await monctl('namespace', 'create', 'staging');
  made = await create(EVENT);
});
afterAll(() => backend[Symbol.asyncDispose]());

const EVENT = `
type: Event
api_version: core/v2
metadata: { namespace: staging }
spec:
  entity: { entity_class: proxy, metadata: { name: web-1, namespace: staging }, subscriptions: [web] }
  check: { metadata: { name: http, namespace: staging }, status: 2, output: "timeout\\n" }
---
type: Event
metadata: { namespace: staging }
spec:
  entity: { entity_class: proxy, metadata: { name: web-1, namespace: staging } }
  check: { metadata: { name: load, namespace: staging }, status: 0, output: fine }
`;

function monctl(...line: string[]): Promise<MonctlRun> {
  return runMonctl(line, { MON_BACKEND: backend.url, USER: 'alice' });
}

function create(input: string, ...options: string[]): Promise<MonctlRun> {
  return runMonctl(['create', '-f', '-', ...options], { MON_BACKEND: backend.url }, { input });
}

/** Returns the lines of a table without its header, with columns separated by one bar. */
async function rows(...line: string[]): Promise<string[]> {
  const { stdout } = await monctl(...line);
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.trim().replaceAll(/ {2,}/g, '|'));
}

test('monctl create creates the objects of a file and prints a line for each', () => {
  expect(made).toEqual({
    code: 0,
    stdout: 'Created Event staging/web-1/http\nCreated Event staging/web-1/load\n',
    stderr: '',
  });
});

test('monctl creates, lists and deletes a namespace with the messages of sensuctl', async () => {
  expect(await monctl('namespace', 'create', 'dev')).toEqual({ code: 0, stdout: 'Created\n', stderr: '' });
  expect(await rows('namespace', 'list')).toEqual(['default', 'dev', 'staging']);
  expect(await monctl('namespace', 'create', 'dev')).toMatchObject({ code: 6, stdout: '' });
  const asked = await runMonctl(['namespace', 'delete', 'dev'], { MON_BACKEND: backend.url }, { answer: 'n' });
  expect(asked).toEqual({ code: 7, stdout: '', stderr: 'delete the namespace dev? [y/N] monctl: Canceled\n' });
  expect(await monctl('namespace', 'delete', 'dev', '--skip-confirm')).toEqual({
    code: 0,
    stdout: 'Deleted\n',
    stderr: '',
  });
  expect(await monctl('namespace', 'delete', 'dev')).toMatchObject({
    code: 3,
    stderr: 'monctl: there is no namespace dev: see monctl namespace list\n',
  });
});

test('monctl does not delete a namespace that is not empty and prints which objects it contains', async () => {
  const { code, stdout, stderr } = await monctl('namespace', 'delete', 'staging');
  expect([code === 0, stdout]).toEqual([false, '']);
  expect(stderr).toMatch(/namespace is not empty.*entit/);
});

test('monctl defines, lists, shows, runs and deletes a check in its namespace', async () => {
  const line = ['check', 'create', 'swap', '--command', 'swap -w 80', '--cron', '0 5 * * *', '--subscriptions', 'db'];
  expect(await monctl(...line, '--namespace', 'staging')).toEqual({ code: 0, stdout: 'Created\n', stderr: '' });
  expect(await monctl(...line, '--namespace', 'staging')).toMatchObject({ code: 6 });
  expect(await rows('check', 'list', '--namespace', 'staging')).toEqual(['swap|0 5 * * *|db|swap -w 80']);
  expect(await rows('check', 'list', '--all-namespaces')).toEqual([
    'default|disk|every 60 s|web|df',
    'staging|swap|0 5 * * *|db|swap -w 80',
  ]);
  // Without a namespace, the command lists the checks of the v1 API.
  expect(await rows('check', 'list')).toEqual([expect.stringMatching(/^disk\|every 60 s\|in \S+\|web\|df$/)]);
  const info = await monctl('check', 'info', 'swap', '--namespace', 'staging', '--output', 'json');
  expect(JSON.parse(info.stdout)).toMatchObject({ metadata: { name: 'swap', namespace: 'staging' }, publish: true });
  expect((await monctl('check', 'execute', 'swap', '--namespace', 'staging')).stdout).toMatch(/^requested swap at /);
  expect(await monctl('check', 'delete', 'swap', '--namespace', 'staging')).toMatchObject({
    code: 0,
    stdout: 'Deleted\n',
  });
  expect(await monctl('check', 'execute', 'swap', '--namespace', 'staging')).toMatchObject({ code: 3 });
});

test('monctl check delete explains why a check cannot be deleted, and what to do instead', async () => {
  expect(await monctl('check', 'delete', 'disk')).toEqual({
    code: 6,
    stdout: '',
    stderr: 'monctl: disk is defined in the configuration file; change it there\n',
  });
  expect(await monctl('check', 'delete', 'nope')).toEqual({
    code: 3,
    stdout: '',
    stderr:
      'monctl: no check nope is defined in default: see monctl check list --namespace default; delete leftover results with monctl check delete nope --results\n',
  });
});

test.each([
  ['neither --interval nor --cron', ['--command', 'x']],
  ['both --interval and --cron', ['--command', 'x', '--interval', '60', '--cron', '* * * * *']],
  ['no command', ['--interval', '60']],
])('monctl check create with %s is rejected before anything is sent', async (_what, options) => {
  expect(await monctl('check', 'create', 'x', ...options)).toMatchObject({ code: 2, stdout: '' });
});

test('monctl event list shows only the events of the named namespaces', async () => {
  expect(await rows('event', 'list', '--namespace', 'staging')).toEqual([
    expect.stringMatching(/^CRIT\|web-1\|http\|1\|\S+\|\S+\|timeout$/),
  ]);
  expect(await rows('event', 'list', '--all-namespaces', '--status', 'crit')).toEqual([
    expect.stringMatching(/^staging\|CRIT\|web-1\|http\|/),
  ]);
  expect((await monctl('event', 'list')).stderr).toBe('no events\n');
  expect(await monctl('event', 'list', '--namespace', 'staging', '--all-namespaces')).toMatchObject({ code: 2 });
  const info = await monctl('event', 'info', 'web-1', 'http', '--namespace', 'staging', '--output', 'json');
  expect(JSON.parse(info.stdout)).toMatchObject({ client: { name: 'web-1' }, check: { name: 'http', status: 2 } });
  expect(await monctl('event', 'info', 'web-1', 'nope', '--namespace', 'staging')).toMatchObject({ code: 3 });
});

test('monctl finds a silence in another namespace by its v1 and v2 name and shows it in the list of events', async () => {
  const options = ['--namespace', 'staging'];
  const silenced = await monctl(
    'silenced',
    'create',
    '--client',
    'web-1',
    '--check',
    'http',
    '--reason',
    'CHG-7',
    ...options,
  );
  expect(silenced).toEqual({
    code: 0,
    stdout: 'silenced client:web-1:http until it is deleted\nit matches 1 event now\n',
    stderr: '',
  });
  expect(await rows('silenced', 'list', '--client', 'web-1', ...options)).toEqual([
    expect.stringMatching(/^client:web-1:http\|.*never\|no\|.*CHG-7$/),
  ]);
  expect(await rows('event', 'list', ...options)).toEqual([expect.stringMatching(/\|silenced\|timeout$/)]);
  expect(await rows('event', 'list', '--no-silenced', ...options)).toEqual([]);
  expect((await monctl('silenced', 'info', 'entity:web-1:http', ...options)).stdout).toMatch(/reason +CHG-7/);
  expect((await monctl('silenced', 'list')).stderr).toBe('no silenced entries\n');
  expect(await monctl('silenced', 'delete', 'client:web-1:http', ...options)).toMatchObject({
    code: 0,
    stdout: 'deleted client:web-1:http\n',
  });
  expect(await monctl('silenced', 'delete', 'entity:web-1:http', ...options)).toMatchObject({ code: 3 });
});

test('the namespace of the environment applies to monctl without the option --namespace', async () => {
  const env = { MON_BACKEND: backend.url, MON_NAMESPACE: 'staging' };
  const { stdout } = await runMonctl(['entity', 'list', '-o', 'json'], env);
  expect(JSON.parse(stdout)).toMatchObject([{ metadata: { name: 'web-1', namespace: 'staging' } }]);
});

test('monctl commands that exist in every namespace apply to the named namespace', async () => {
  const options = ['--namespace', 'staging'];
  const entry = ['--check', 'swap', '--reason', 'move', ...options];
  await monctl('silenced', 'create', ...entry);
  await monctl(
    'check',
    'create',
    'swap',
    '--command',
    'swap',
    '--interval',
    '3600',
    '--subscriptions',
    'db',
    ...options,
  );
  expect(await rows('client', 'list', ...options)).toEqual([expect.stringMatching(/^web-1\|/)]);
  expect((await monctl('client', 'list')).stderr).toBe('no clients\n');
  expect((await monctl('client', 'info', 'web-1', ...options)).stdout).toMatch(/name +web-1/);
  expect(await rows('result', 'list', '--check', 'http', ...options)).toEqual([
    expect.stringMatching(/^CRIT\|web-1\|/),
  ]);
  expect((await monctl('event', 'explain', 'web-1', 'http', ...options)).code).toBe(0);
  expect((await monctl('event', 'explain', 'web-1', 'http')).code).toBe(3);
  expect((await monctl('silenced', 'update', '*:swap', '1h', ...options)).stdout).toMatch(/^silenced \*:swap until /);
  expect((await monctl('check', 'request', 'swap', ...options)).stdout).toMatch(/^requested swap/);
  expect((await monctl('check', 'delete', 'swap', '--results', ...options)).code).toBe(0);
  expect(await monctl('client', 'delete', 'web-1', '--dry-run', ...options)).toMatchObject({
    stdout: expect.stringContaining('/api/mon/v1/clients/web-1?namespace=staging') as unknown,
  });
  await monctl('check', 'delete', 'swap', ...options);
  await monctl('silenced', 'delete', '*:swap', ...options);
});

test('silence stashes in a namespace become silences in the same namespace by a migration', async () => {
  const options = ['--namespace', 'staging'];
  const content = ['--content', '{"reason": "CHG-9"}'];
  expect(await monctl('stash', 'create', 'silence/all/swap', ...content, ...options)).toEqual({
    code: 0,
    stdout: 'saved the stash silence/all/swap\n',
    stderr: '',
  });
  expect(await rows('stash', 'list', ...options)).toEqual(['silence/all/swap|never|{"reason":"CHG-9"}']);
  expect((await monctl('stash', 'list')).stderr).toBe('no stashes\n');
  expect((await monctl('stash', 'info', 'silence/all/swap', ...options)).stdout).toBe('reason: CHG-9\n');
  expect(await monctl('stash', 'info', 'silence/all/swap')).toMatchObject({ code: 3 });
  const env = { MON_BACKEND: backend.url, MON_NAMESPACE: 'staging' };
  expect((await runMonctl(['migrate', 'stashes', '--apply', '-y'], env)).stdout).toBe('migrated 1 stash\n');
  expect((await monctl('silenced', 'info', '*:swap', ...options)).stdout).toMatch(/reason +CHG-9/);
  expect(await monctl('stash', 'delete', 'silence/all/swap', ...options)).toMatchObject({ code: 3 });
  expect(await monctl('silenced', 'delete', '*:swap', ...options)).toMatchObject({ code: 0 });
});

test('monctl resolves an event and deletes its result and its client in a namespace', async () => {
  const options = ['--namespace', 'staging'];
  expect(await monctl('event', 'resolve', 'web-1', 'http', ...options)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^resolving web-1\/http, requested at /) as unknown,
  });
  expect(await rows('event', 'list', ...options)).toEqual([]);
  expect(await monctl('event', 'delete', 'web-1', 'http', ...options)).toMatchObject({ code: 3 });
  // An event does not update the last-seen time of its entity, so LAST SEEN is empty.
  expect(await rows('entity', 'list', '--all-namespaces')).toEqual(['staging|web-1|proxy|web, entity:web-1']);
  expect((await monctl('entity', 'info', 'web-1', ...options)).stdout).toContain('entity_class: proxy');
  expect(await monctl('entity', 'delete', 'web-1', ...options)).toMatchObject({ code: 0, stdout: 'Deleted\n' });
  expect(await monctl('entity', 'delete', 'web-1', ...options)).toMatchObject({ code: 3 });
});
