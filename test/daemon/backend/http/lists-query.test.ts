import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });
const find = (list: string, q: string, page = ''): Promise<Answer> =>
  ask('GET', `/api/mon/v1/${list}?${new URLSearchParams({ q }).toString()}${page}`);

beforeAll(async () => {
  backend = await startBackend({
    clock: new ManualClock(),
    batcher: { batchLimit: 1 },
    settings: {
      checks: {
        disk: { command: 'check-disk', subscribers: ['linux'], interval: 300 },
        http: { command: 'check-http', subscribers: ['web'], interval: 30 },
      },
    },
  });
  const results = [
    { source: 'db-1', name: 'disk', status: 2, output: '/ full', aggregate: 'stores' },
    { source: 'web-1', name: 'disk', status: 0, output: '/ 10% used' },
    { source: 'web-1', name: 'http', status: 1, output: 'slow', aggregate: 'fronts' },
  ];
  for (const result of results) await ask('POST', '/results', result);
  await ask('POST', '/silenced', { check: 'disk', creator: 'alice', reason: 'planned', expire: 600 });
  await ask('POST', '/silenced', { subscription: 'web', creator: 'bob' });
});
afterAll(() => backend[Symbol.asyncDispose]());

const keys: Readonly<Record<string, (item: never) => string>> = {
  clients: ({ name }: { name: string }) => name,
  results: ({ client, check }: { client: string; check: { name: string } }) => `${client}/${check.name}`,
  silenced: ({ id }: { id: string }) => id,
  checks: ({ name }: { name: string }) => name,
  aggregates: ({ name }: { name: string }) => name,
};

test.each([
  ['clients', '', ['db-1', 'web-1']],
  ['clients', 'db', ['db-1']],
  ['clients', 'events>0 client~web-*', ['web-1']],
  ['clients', 'keepalive>1h', []],
  ['results', '', ['db-1/disk', 'web-1/disk', 'web-1/http']],
  ['results', 'status>=warn', ['db-1/disk', 'web-1/http']],
  ['results', 'output~used or client=db-1', ['db-1/disk', 'web-1/disk']],
  ['silenced', 'state=expiring', ['*:disk']],
  ['silenced', 'creator=bob !on_resolve', ['web:*']],
  ['silenced', 'suppressed=0 planned', ['*:disk']],
  ['checks', 'interval>=5m', ['disk']],
  ['checks', 'warning=1', ['http']],
  ['aggregates', 'ok<80 critical>0', ['stores']],
])('GET /api/mon/v1/%s with the search "%s" returns the matching items', async (list, q, expected) => {
  const { status, body } = await find(list, q);
  expect([status, (body as never[]).map((item) => keys[list]?.(item))]).toEqual([200, expected]);
});

test('a list is filtered by its search before it is paginated', async () => {
  const { headers, body } = await find('results', 'check=disk', '&limit=1&offset=1');
  expect([headers['x-pagination'], headers['x-total-unfiltered']]).toEqual(['{"limit":1,"offset":1,"total":2}', '3']);
  expect(body).toMatchObject([{ client: 'web-1', check: { name: 'disk' } }]);
});

test('GET /api/mon/v1/clients returns a client as on the feed, with its number of open events', async () => {
  const { body } = await find('clients', 'client=db-1');
  expect(body).toEqual([
    {
      name: 'db-1',
      address: 'unknown',
      subscriptions: ['client:db-1'],
      version: expect.any(String),
      timestamp: expect.any(Number),
      keepalives: false,
      last_result: expect.any(Number),
      events: 1,
    },
  ]);
});

test.each(['clients', 'results', 'silenced', 'checks', 'aggregates', 'dead-letters'])(
  'GET /api/mon/v1/%s rejects an invalid search with the position of the error and the allowed fields',
  async (list) => {
    expect(await find(list, 'a nope=1')).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^q: there is no field "nope": use .* \(at character 3\)$/) },
    });
  },
);
