import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMonctl, NOW, type MonctlRun } from '../../support/run-monctl.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { send } from '../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

const GROUPING = { type: 'pipe', command: 'cat > /dev/null', group_by: ['client.rack'], group_wait: 600 };
let backend: RunningBackend;

beforeAll(async () => {
  backend = await startBackend({
    settings: {
      handlers: { default: GROUPING },
      inhibitions: { switch: { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] } },
      'aggregate-rules': { 'web-health': { aggregate: 'web', namespace: 'default', warning: 1, critical: '60%' } },
    },
    clock: new ManualClock(NOW * 1000),
    batcher: { batchLimit: 1 },
  });
  for (const [name, rack] of Object.entries({ 'sw-a': 'a', 'a-1': 'a', 'b-1': 'b' })) {
    await post('/clients', { name, address: 'x', rack });
  }
  await post('/results', { source: 'sw-a', name: 'switch', status: 2, output: 'down' });
  await post('/results', { source: 'a-1', name: 'disk', status: 2, output: 'full' });
  await post('/results', { source: 'b-1', name: 'disk', status: 1, output: 'full', aggregate: 'web' });
  await monctl(['namespace', 'create', 'team-a']);
  const spec = 'status: 2, output: "down\\n", handlers: [default]';
  await monctl(
    ['create', '-f', '-'],
    `type: Event
metadata: { namespace: team-a }
spec:
  entity: { entity_class: proxy, ${metadata('sw-t')} }
  check: { ${metadata('switch')}, ${spec} }
`,
  );
});
afterAll(() => backend[Symbol.asyncDispose]());

const post = (target: string, body: object): Promise<unknown> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

const monctl = (line: readonly string[], input = ''): Promise<MonctlRun> =>
  runMonctl(line, { MON_BACKEND: backend.url }, { input });

const metadata = (name: string): string => `metadata: { name: ${name}, namespace: team-a }`;

const simulate = async (result: object): Promise<string> =>
  (await monctl(['simulate', '-'], JSON.stringify(result))).stdout;

test('monctl handler groups lists the groups of all namespaces with the namespace of each', async () => {
  expect((await monctl(['handler', 'groups'])).stdout).toBe(
    [
      'NAMESPACE  HANDLER  GROUP          WORST  FIRING  PENDING  NOTIFIED  DUE',
      'default    default  client.rack=a  CRIT        1        1     never  in 10m',
      'default    default  client.rack=b  WARN        1        1     never  in 10m',
      '',
    ].join('\n'),
  );
});

test('monctl handler groups lists the groups of one namespace or the groups that a search matches', async () => {
  expect(await monctl(['handler', 'groups', '--namespace', 'team-a'])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('no groups') as string,
  });
  const { stdout } = await monctl(['handler', 'groups', '--namespace', 'default', '--filter', 'by=b']);
  expect(stdout).not.toContain('NAMESPACE');
  expect(stdout.split('\n')[1]).toMatch(/^default {2}client\.rack=b/);
});

test('the JSON output of monctl handler groups equals the response of the API', async () => {
  const { body } = await send(backend.url, { method: 'GET', target: '/api/mon/v1/handler-groups', body: null });
  expect(JSON.parse((await monctl(['handler', 'groups', '--output', 'json'])).stdout)).toEqual(body);
});

test('monctl inhibition list shows how many events each rule inhibits, by which event and in which namespace', async () => {
  expect((await monctl(['inhibition', 'list'])).stdout).toBe(
    [
      'INHIBITION  SOURCE                    TARGET         EQUAL        INHIBITED  SOURCE EVENT',
      'switch      check=switch status=crit  check!=switch  client.rack          1  default:sw-a/switch (1), team-a:sw-t/switch (0)',
      '',
    ].join('\n'),
  );
  const elsewhere = await monctl(['inhibition', 'list', '--namespace', 'team-a', '--output', 'json']);
  expect(JSON.parse(elsewhere.stdout)).toMatchObject([
    { name: 'switch', inhibited: 0, inhibitors: [{ namespace: 'team-a', client: 'sw-t' }] },
  ]);
});

test('monctl rejects --namespace with --all-namespaces, and --all-namespaces overrides a context', async () => {
  expect(await monctl(['handler', 'groups', '--namespace', 'default', '--all-namespaces'])).toMatchObject({ code: 2 });
  const env = { MON_BACKEND: backend.url, MON_NAMESPACE: 'team-a' };
  expect((await runMonctl(['handler', 'groups', '--all-namespaces'], env)).stdout).toContain('default');
});

test('monctl simulate shows which other events a result would inhibit', async () => {
  expect(await simulate({ source: 'b-1', name: 'switch', status: 2, output: 'o' })).toContain(
    'inhibits  switch would inhibit matching events with the same client.rack from then on',
  );
  expect(await simulate({ source: 'sw-a', name: 'switch', status: 0, output: 'o' })).toContain(
    'inhibits  switch would no longer inhibit anything: 1 event that is inhibited now would be notified as usual',
  );
  expect(await simulate({ source: 'sw-a', name: 'switch', status: 2, output: 'o' })).toContain(
    'inhibits  switch would still inhibit 1 event',
  );
  expect(await simulate({ source: 'a-1', name: 'disk', status: 2, output: 'o', aggregate: 'web' })).toContain(
    'aggregate  web: web-health would be CRIT (2), as now: 2 of 2 (100 %) not OK',
  );
});
