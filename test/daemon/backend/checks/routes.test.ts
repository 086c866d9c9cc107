import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

const CHECKS = {
  disk: { command: 'df', interval: 60, subscribers: ['base'], aggregate: 'machines', db: { password: 'hunter2' } },
  cpu: { command: 'uptime', interval: 60, subscribers: ['base'], auto_resolve: false },
  own: { command: 'true', interval: 60, standalone: true },
};

let backend: RunningBackend;
beforeEach(async () => {
  backend = await startBackend({ settings: { checks: CHECKS } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
});

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });
const get = async (target: string): Promise<unknown> => (await ask('GET', target)).body;
const report = (source: string, name: string, status: number): Promise<Answer> =>
  ask('POST', '/results', { source, name, status, output: 'o' });

describe('check definitions in the v1 API', () => {
  test('check definitions are listed by name and without standalone checks, and each ends with the name', async () => {
    const list = (await get('/checks')) as readonly object[];
    expect(list).toMatchObject([{ name: 'cpu' }, { name: 'disk' }]);
    expect(list.map((check) => Object.keys(check).at(-1))).toEqual(['name', 'name']);
    expect(await ask('GET', '/checks/own')).toMatchObject({
      status: 404,
      body: { error: 'no check own is defined for subscriptions' },
    });
  });

  test('check definitions are paginated and filtered', async () => {
    const page = await ask('GET', '/checks?limit=1&offset=1');
    expect(page.body).toMatchObject([{ name: 'disk' }]);
    expect(page.headers['x-pagination']).toBe('{"limit":1,"offset":1,"total":2}');
    expect(await get('/checks?filter.command=uptime')).toMatchObject([{ name: 'cpu' }]);
  });

  test('check definitions are shown without secrets', async () => {
    for (const target of ['/checks', '/checks/disk']) {
      const { text } = await ask('GET', target);
      expect(text).toContain('REDACTED');
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('deleting a check', () => {
  test('deleting a check resolves its events and deletes its results, which Sensu Core leaves behind', async () => {
    for (const client of ['a', 'b']) for (const status of [1, 2]) await report(client, 'disk', status);
    await report('c', 'disk', 0);
    await report('a', 'load', 2);
    await ask('POST', '/silenced', { subscription: 'client:a', check: 'disk', expire_on_resolve: true });

    expect(await ask('DELETE', '/checks/disk')).toMatchObject({
      status: 202,
      body: { issued: expect.any(Number) as number },
    });

    expect(await get('/events')).toMatchObject([{ client: { name: 'a' }, check: { name: 'load' } }]);
    expect(await get('/results')).toMatchObject([{ client: 'a', check: { name: 'load' } }]);
    // The silence with `expire_on_resolve` ended, so the events were resolved instead of just dropped.
    expect(await get('/silenced')).toEqual([]);
    expect(await get('/aggregates')).toEqual([]);
    expect(await get('/clients')).toMatchObject([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect(await get('/checks/disk')).toMatchObject({ name: 'disk' });
  });

  test('a check that reports again after its deletion has a new history', async () => {
    for (const status of [0, 2, 2]) await report('a', 'disk', status);
    await ask('DELETE', '/checks/disk');
    await report('a', 'disk', 2);
    expect(await get('/events/a/disk')).toMatchObject({ occurrences: 1, last_ok: null, check: { history: ['2'] } });
  });

  test('deleting a check also resolves events that do not resolve automatically', async () => {
    for (const status of [2, 0]) await report('a', 'cpu', status);
    expect(await get('/events')).toHaveLength(1);
    await ask('DELETE', '/checks/cpu');
    expect(await get('/events')).toEqual([]);
  });

  test('deleting an unknown check returns 202, as recorded with Sensu Core', async () => {
    expect((await ask('DELETE', '/checks/never-seen')).status).toBe(202);
  });

  test('checks of a large fleet can be deleted by several requests at the same time', async () => {
    const results = Array.from({ length: 1001 }, (_, index) => ({
      source: `client-${String(index)}`,
      name: 'disk',
      output: 'o',
      status: index % 3,
    }));
    await ask('POST', '/api/mon/v1/results', results);
    const both = await Promise.all([
      ask('DELETE', '/checks/disk'),
      ask('DELETE', '/clients/client-500'),
      ask('DELETE', '/checks/disk'),
    ]);
    expect(both.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await get('/results')).toEqual([]);
    expect(await get('/events')).toEqual([]);
  });
});
