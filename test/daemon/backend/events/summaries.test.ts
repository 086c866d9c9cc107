import { beforeEach, describe, expect, test } from 'vitest';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import type { Answer } from '../../../support/raw-http.ts';

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open({
    checks: new Map([['disk', { command: 'df', interval: 60, subscribers: ['base'] }]]),
  });
});

const ask: Ask = (...request) => rig.ask(...request);
const get = (path: string): Promise<Answer> => ask('GET', `/api/mon/v1/${path}`);
const report = (source: string, name: string, status: number, more = {}): Promise<Answer> =>
  ask('POST', '/results', { name, output: `${name}: ${String(status)}\nmore`, status, source, ...more });
const seconds = (): number => Math.floor(rig.clock.now() / 1000);

describe('GET /api/mon/v1/aggregates', () => {
  test('the summary of aggregates contains the same counters as the v1 API', async () => {
    await report('web-1', 'http', 2, { aggregates: ['front', 'all'] });
    await report('web-2', 'http', 0, { aggregates: ['front', 'all'] });
    await report('db-1', 'sql', 1, { aggregate: 'all' });
    await report('web-1', 'keepalive', 2);
    await ask('POST', '/silenced', { subscription: 'client:web-1' });
    const { body } = await get('aggregates');
    expect(body).toEqual([
      {
        name: 'all',
        clients: 3,
        checks: 2,
        results: { ok: 1, warning: 1, critical: 1, unknown: 0, total: 3, stale: 0, silenced: 1, down: 1 },
      },
      {
        name: 'front',
        clients: 2,
        checks: 1,
        results: { ok: 1, warning: 0, critical: 1, unknown: 0, total: 2, stale: 0, silenced: 1, down: 1 },
      },
    ]);
    for (const { name, ...summary } of body as { name: string }[]) {
      expect((await ask('GET', `/aggregates/${name}`)).body).toEqual(summary);
    }
  });

  test('the summary of aggregates is paginated and filtered', async () => {
    for (const aggregate of ['a', 'b', 'c']) await report('web-1', aggregate, aggregate === 'b' ? 2 : 0, { aggregate });
    const page = await get('aggregates?limit=1&offset=1');
    expect([page.headers['x-pagination'], page.body]).toMatchObject([
      '{"limit":1,"offset":1,"total":3}',
      [{ name: 'b' }],
    ]);
    expect((await get('aggregates?filter.results.critical=1')).body).toMatchObject([{ name: 'b' }]);
  });
});

describe('GET /api/mon/v1/checks/:check/results', () => {
  test('the results of a check contain the last result of each client, sorted by severity and then by name', async () => {
    await report('web-4', 'disk', 0);
    await report('web-3', 'disk', 3);
    await report('web-5', 'disk', 2);
    await report('web-2', 'disk', 1);
    await report('web-1', 'disk', 0);
    await report('web-1', 'disk', 2);
    await report('web-1', 'swap', 2);
    await ask('POST', '/silenced', { subscription: 'client:web-5' });
    expect((await get('checks/disk/results')).body).toEqual([
      { client: 'web-1', status: 2, executed: seconds(), history: [0, 2], output: 'disk: 2', silenced: false },
      { client: 'web-5', status: 2, executed: seconds(), history: [2], output: 'disk: 2', silenced: true },
      { client: 'web-2', status: 1, executed: seconds(), history: [1], output: 'disk: 1', silenced: false },
      { client: 'web-3', status: 3, executed: seconds(), history: [3], output: 'disk: 3', silenced: false },
      { client: 'web-4', status: 0, executed: seconds(), history: [0], output: 'disk: 0', silenced: false },
    ]);
    const page = await get('checks/disk/results?limit=1&offset=2');
    expect([page.headers['x-pagination'], page.body]).toMatchObject([
      '{"limit":1,"offset":2,"total":5}',
      [{ client: 'web-2' }],
    ]);
  });

  test('the results of a check exclude deleted results, and are empty for an unknown check', async () => {
    await report('web-1', 'disk', 2);
    await ask('DELETE', '/results/web-1/disk');
    expect((await get('checks/disk/results')).body).toEqual([]);
    expect((await get('checks/nothing/results')).body).toEqual([]);
    expect((await get('checks/a%20b/results')).status).toBe(400);
  });
});

describe('GET /api/mon/v1/clients/:client', () => {
  test('the summary of a client is redacted and contains all checks of the client', async () => {
    await ask('POST', '/clients', { name: 'web-1', address: '10.0.0.1', subscriptions: ['web'], password: 'hunter2' });
    await report('web-1', 'disk', 0, { interval: 60 });
    await report('web-1', 'disk', 2, { interval: 60 });
    await report('web-1', 'disk', 2, { interval: 60 });
    await report('web-1', 'swap', 0);
    await ask('POST', '/silenced', { subscription: 'web', check: 'disk' });
    const { body } = await get('clients/web-1');
    expect(body).toEqual({
      client: expect.objectContaining({ name: 'web-1', subscriptions: ['web', 'client:web-1'], password: 'REDACTED' }),
      checks: [
        {
          name: 'disk',
          status: 2,
          executed: seconds(),
          history: [0, 2, 2],
          output: 'disk: 2',
          interval: 60,
          event: {
            id: expect.any(String),
            action: 'create',
            status: 2,
            occurrences: 2,
            silenced_by: ['web:disk'],
          },
          next_run: expect.any(Number),
        },
        {
          name: 'swap',
          status: 0,
          executed: seconds(),
          history: [0],
          output: 'swap: 0',
          interval: null,
          event: null,
          next_run: null,
        },
      ],
    });
    const { checks } = body as { checks: { next_run: number }[] };
    expect((await get('checks/disk')).body).toMatchObject({
      next_run: checks[0]?.next_run,
      results: { ok: 0, warning: 0, critical: 1, unknown: 0 },
    });
  });

  test('the summary of a client contains an open event whose result was deleted', async () => {
    await report('web-1', 'disk', 2);
    await ask('DELETE', '/results/web-1/disk');
    expect((await get('clients/web-1')).body).toMatchObject({
      checks: [{ name: 'disk', status: null, executed: null, history: [], output: 'disk: 2', event: { status: 2 } }],
    });
  });

  test('the summary of an unknown client returns 404', async () => {
    expect(await get('clients/nobody')).toMatchObject({ status: 404, body: { error: 'there is no client nobody' } });
  });
});

describe('GET /api/mon/v1/overview', () => {
  test('the overview contains the noisiest checks, the load of the backend and the state of the clients', async () => {
    const hourAgo = seconds();
    await ask('POST', '/clients', { name: 'web-0', address: 'a' });
    rig.clock.advance(3_601_000);
    for (const client of ['web-1', 'web-2']) for (const _ of [1, 2, 3]) await report(client, 'disk', 2);
    await report('web-1', 'disk', 0);
    await report('web-1', 'load', 1);
    await report('web-0', 'keepalive', 2);
    await report('web-1', 'keepalive', 1);
    rig.clock.advance(10_000);
    const { body } = await get('overview');
    expect(body).toMatchObject({
      at: hourAgo + 3611,
      noisiest: [
        { check: 'disk', events: 7, clients: 1 },
        { check: 'keepalive', events: 2, clients: 2 },
        { check: 'load', events: 1, clients: 1 },
      ],
      clients: { registered: 3, stale: 2, lost: 1 },
      queue: { results: 0 },
      feed: { consumers: 0 },
      api: { response_p99_ms: expect.any(Number) },
    });
    const { results, store } = body as {
      results: { period: number; rates: number[] };
      store: { write_p99_ms: number | null };
    };
    expect(results.period).toBe(10);
    expect(results.rates).toHaveLength(90);
    expect(results.rates.at(-1)).toBe(1);
    // With a manual clock, writes take no time, which counts as the smallest value of 0.01 ms.
    expect(store.write_p99_ms).toBe(0.01);
  });

  test('the overview of an idle backend contains zeros and no latencies', async () => {
    expect((await get('overview')).body).toEqual({
      at: seconds(),
      noisiest: [],
      results: { period: 10, rates: [] },
      clients: { registered: 0, stale: 0, lost: 0 },
      entities: { total: 0, proxies: 0, limit: 100 },
      queue: { results: 0 },
      store: { write_p99_ms: null },
      api: { response_p99_ms: null },
      feed: { consumers: 0 },
    });
  });
});
