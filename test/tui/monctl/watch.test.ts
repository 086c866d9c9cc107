import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { MonError } from '../../../shared/errors.ts';
import { pollList } from '../../../tui/monctl/poll.ts';
import type { ListUpdate } from '../../../tui/monctl/poll.ts';
import { CuttingProxy } from '../../support/cutting-proxy.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startFeedServer, type FeedConnection } from '../../support/feed-server.ts';
import { Pty } from '../../support/pty.ts';
import { MONCTL, runMonctl } from '../../support/run-monctl.ts';
import { startBackend } from '../../support/running-backend.ts';
import type { RunningBackend } from '../../support/running-backend.ts';
import { deadUrl, startScriptedServer } from '../../support/scripted-server.ts';
import { watchMonctl } from '../../support/watching-monctl.ts';

let backend: RunningBackend;
let api: ApiClient;

beforeAll(async () => {
  backend = await startBackend();
  api = openApiClient({ backend: backend.url, env: {} });
});
afterAll(() => backend[Symbol.asyncDispose]());

/** Returns the cells of a printed line at these indexes, separated by blanks. Cell 0 is the sign of the change. */
function cells(line: string, ...indexes: number[]): string {
  const all = line.split('\t');
  return indexes.map((index) => all[index] ?? '').join(' ');
}

test('monctl event follow into a pipe prints the current events, then one line for each change', async () => {
  await api.submitResult({ source: 'ev-1', name: 'disk', status: 1, output: 'almost\tfull' });
  const watching = watchMonctl(['event', 'follow', '--filter', 'client~ev-*'], { MON_BACKEND: backend.url });
  const next = async (): Promise<string> => cells(await watching.next(), 0, 1, 2, 3, 7, 8);
  expect(await next()).toMatch(/^\+ WARN ev-1 disk {2}almost +full$/);
  await api.submitResult({ source: 'ev-1', name: 'disk', status: 2, output: 'full' });
  expect(await next()).toBe('~ CRIT ev-1 disk  full');
  await api.silence({ check: 'disk' });
  expect(await next()).toBe('~ CRIT ev-1 disk silenced full');
  // An unchanged event and one that does not match print no line: the next line is about the following change.
  await api.submitResult({ source: 'ev-1', name: 'disk', status: 2, output: 'full' });
  await api.submitResult({ source: 'other', name: 'disk', status: 2, output: 'full' });
  await api.submitResult({ source: 'ev-2', name: 'load', status: 3, output: '?' });
  expect(await next()).toBe('+ UNKN ev-2 load  ?');
  await api.resolve({ client: 'ev-1', check: 'disk' });
  expect(await next()).toBe('- CRIT ev-1 disk silenced full');
});

test('monctl silence list --watch into a pipe prints one JSON value per line', async () => {
  await api.silence({ subscription: 'si', reason: 'first' });
  const watching = watchMonctl(['silenced', 'list', '--subscription', 'si', '-o', 'json'], {
    MON_BACKEND: backend.url,
  });
  const next = async (): Promise<unknown> => JSON.parse(await watching.next());
  expect(await next()).toEqual({
    change: 'added',
    key: 'si:*',
    value: expect.objectContaining({ id: 'si:*', reason: 'first', expire: -1 }),
  });
  await api.silence({ subscription: 'si', reason: 'second', expire: 3600 });
  expect(await next()).toMatchObject({ change: 'changed', value: { reason: 'second', expire: expect.any(Number) } });
  await api.clearSilenced({ id: 'si:*' });
  expect(await next()).toMatchObject({ change: 'removed', key: 'si:*' });
});

test('monctl silence list --watch reports a changed schedule even if the next window is the same', async () => {
  const recurring = { check: 'recurs', reason: 'x', recurrence: { schedule: 'daily 02:00', duration: 3600 } };
  await api.silence(recurring);
  const watching = watchMonctl(['silenced', 'list', '--check', 'recurs', '-o', 'json'], { MON_BACKEND: backend.url });
  const next = async (): Promise<unknown> => JSON.parse(await watching.next());
  const { schedule } = recurring.recurrence;
  expect(await next()).toMatchObject({ change: 'added', value: { recurrence: { schedule } } });
  const lastDay = new Date(Date.now() + 86_400_000 * 400).toISOString().slice(0, 10);
  await api.silence({ ...recurring, recurrence: { ...recurring.recurrence, last_day: lastDay } });
  expect(await next()).toMatchObject({ change: 'changed', value: { recurrence: { schedule, last_day: lastDay } } });
});

test('monctl client list --watch reports changed clients and ignores keepalives', async () => {
  await api.saveClient({ name: 'cl-1', address: 'a', subscriptions: ['cl'] });
  const watching = watchMonctl(['client', 'list', '--subscription', 'cl'], { MON_BACKEND: backend.url });
  const next = async (): Promise<string> => cells(await watching.next(), 0, 1, 2);
  expect(await next()).toBe('+ cl-1 a');
  await api.saveClient({ name: 'cl-1', address: 'a', subscriptions: ['cl'] });
  await api.saveClient({ name: 'cl-1', address: 'b', subscriptions: ['cl'] });
  expect(await next()).toBe('~ cl-1 b');
  await api.deleteClient('cl-1');
  expect(await next()).toBe('- cl-1 b');
});

test('a watched list is polled if the backend has no feed for it', async () => {
  const watching = watchMonctl(['stash', 'list', '--prefix', 'st/', '-o', 'yaml'], { MON_BACKEND: backend.url });
  await vi.waitFor(() => api.stashes());
  await api.saveStash({ path: 'st/a', content: { n: 1 } });
  expect([await watching.next(), await watching.next(), await watching.next()]).toEqual([
    '---',
    'change: added',
    'key: st/a',
  ]);
});

const GROUP = {
  namespace: 'default',
  handler: 'pager',
  id: 'fra',
  by: { rack: 'fra' },
  firing: 3,
  pending: 2,
  worst: 'critical' as const,
  notified_at: null,
  due_at: 1_800_000_000,
};
const RULE = {
  name: 'switch',
  source: 'check=switch',
  target: 'check!=switch',
  equal: [],
  inhibited: 1,
  inhibitors: [],
};

test.each([
  { line: ['handler', 'groups'], topic: 'groups', row: GROUP, changed: { ...GROUP, firing: 4 } },
  { line: ['inhibition', 'list'], topic: 'inhibitions', row: RULE, changed: { ...RULE, inhibited: 2 } },
])('the watched list of monctl $line follows the feed and sends no requests', async ({ line, topic, row, changed }) => {
  const { promise: follower, resolve } = Promise.withResolvers<FeedConnection>();
  const { url } = await startFeedServer({
    onNoise(connection) {
      connection.send({ type: 'snapshot', seq: 1, rows: { [topic]: { one: row } } }, { type: 'live', seq: 1 });
      resolve(connection);
    },
  });
  const watching = watchMonctl([...line, '--output', 'json'], { MON_BACKEND: url });
  expect(JSON.parse(await watching.next())).toMatchObject({ change: 'added', value: row });
  const connection = await follower;
  expect(await connection.subscribed()).toMatchObject({ topics: [topic], namespace: '*' });
  connection.send({ type: 'changes', seq: 2, time: 0, rows: { [topic]: { one: changed } } });
  expect(JSON.parse(await watching.next())).toMatchObject({ change: 'changed', value: changed });
  connection.send({ type: 'changes', seq: 3, time: 0, rows: { [topic]: { one: null } } });
  expect(JSON.parse(await watching.next())).toMatchObject({ change: 'removed' });
});

test.each([
  { line: ['handler', 'groups'], path: '/api/mon/v1/handler-groups', row: GROUP },
  { line: ['inhibition', 'list'], path: '/api/mon/v1/inhibitions', row: RULE },
])(
  'the watched list of monctl $line is polled if the feed does not support its topic',
  { tags: 'slow' },
  async ({ line, path, row }) => {
    const answers = [[], [row]];
    const { url } = await startFeedServer({
      http: (request, response) =>
        void response
          .writeHead(request.url === path ? 200 : 404, { 'content-type': 'application/json' })
          .end(JSON.stringify(answers.shift() ?? [row])),
    });
    const watching = watchMonctl([...line, '--output', 'json'], { MON_BACKEND: url });
    expect(JSON.parse(await watching.next())).toMatchObject({ change: 'added', value: row });
  },
);

test(
  'watched groups and inhibitions are printed like listed ones, also in one namespace',
  { tags: 'slow' },
  async () => {
    await using own = await startBackend({
      settings: {
        handlers: { default: { type: 'pipe', command: 'true', group_by: ['check'], group_wait: 600 } },
        inhibitions: { switch: { source: 'check=switch', target: 'check!=switch' } },
      },
    });
    await openApiClient({ backend: own.url, env: {} }).submitResult({
      name: 'switch',
      source: 'a',
      status: 2,
      output: '',
    });
    for (const line of [
      ['handler', 'groups', '--filter', 'by=switch'],
      ['handler', 'groups', '--namespace', 'default'],
      ['inhibition', 'list'],
      ['inhibition', 'list', '--namespace', 'default'],
    ]) {
      const json = [...line, '--output', 'json'];
      const env = { MON_BACKEND: own.url };
      const [row] = JSON.parse((await runMonctl(json, env)).stdout) as unknown[];
      expect(row).toBeDefined();
      expect(JSON.parse(await watchMonctl(json, env).next())).toMatchObject({ change: 'added', value: row });
    }
  },
);

test(
  'a watched list on a terminal is redrawn in place, and only when something changed',
  { tags: 'slow' },
  async () => {
    await api.submitResult({ source: 'tty-1', name: 'disk', status: 2, output: 'full' });
    const env = { MON_BACKEND: backend.url };
    await using pty = new Pty(process.execPath, [MONCTL, 'result', 'list', '--client', 'tty-1', '-w'], {
      env,
      columns: 60,
      rows: 8,
    });
    await pty.waitForText(/^1 result\s*\nSTATUS +CLIENT[^\n]*\nCRIT +tty-1 +disk/m);
    await api.submitResults(
      Array.from({ length: 9 }, (_, at) => ({
        source: 'tty-1',
        name: `load-${String(at)}`,
        status: 0,
        output: 'x'.repeat(99),
      })),
    );
    await pty.waitForText(/^10 results\s*\nSTATUS.*\nCRIT +tty-1 +disk.*\n(?:OK .*…\n){3}\.\.\. 6 more lines$/m);
    pty.write('\u0003');
    expect((await pty.exited).signal).toBe(2);
  },
);

test('a watched list reconnects after a lost connection and prints no row twice', async () => {
  await using proxy = await CuttingProxy.open(backend.url);
  await api.submitResult({ source: 'cut-1', name: 'disk', status: 2, output: 'full' });
  const watching = watchMonctl(['event', 'list', '--client', 'cut-1'], { MON_BACKEND: proxy.url });
  expect(cells(await watching.next(), 0, 2, 3)).toBe('+ cut-1 disk');
  proxy.cut();
  await vi.waitFor(() => expect(watching.stderr).not.toBe(''));
  await api.submitResult({ source: 'cut-1', name: 'load', status: 2, output: 'high' });
  expect(cells(await watching.next(), 0, 2, 3)).toBe('+ cut-1 load');
});

test('monctl --watch waits for a backend that is not running yet and says so', async () => {
  const url = await deadUrl();
  const watching = watchMonctl(['event', 'list'], { MON_BACKEND: url });
  await vi.waitFor(() =>
    expect(watching.stderr).toContain(`cannot reach the backend at ${url}: nothing listens there`),
  );
});

test.each([
  { line: ['event', 'list'], status: 401, code: 4 },
  { line: ['check', 'list'], status: 401, code: 4 },
  { line: ['check', 'list'], status: 400, code: 2 },
])(
  'monctl $line --watch exits with $code when the backend rejects it with HTTP status $status',
  async ({ line, status, code }) => {
    const { url } = await startScriptedServer(() => ({ status }));
    expect(await watchMonctl(line, { MON_BACKEND: url }).ended).toBe(code);
  },
);

test('a watched list that is polled keeps its last rows while the backend is unavailable', async () => {
  const clock = new ManualClock();
  const answers: (readonly string[] | MonError)[] = [
    ['a'],
    new MonError('unavailable', 'cannot reach it'),
    ['b'],
    new MonError('forbidden', 'not for you'),
  ];
  const sights = pollList(clock, () => {
    const answer = answers.shift() ?? [];
    return answer instanceof MonError ? Promise.reject(answer) : Promise.resolve(answer);
  });
  const next = async (): Promise<ListUpdate<string> | undefined> => {
    const coming = sights.next();
    await Promise.resolve();
    clock.advance(1999);
    await Promise.resolve();
    clock.advance(1);
    const { value } = await coming;
    return value ?? undefined;
  };
  expect(await next()).toEqual({ items: ['a'], trouble: undefined });
  expect(await next()).toEqual({ items: ['a'], trouble: 'cannot reach it' });
  expect(await next()).toEqual({ items: ['b'], trouble: undefined });
  await expect(next()).rejects.toMatchObject({ code: 'forbidden' });
});
