import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallbackClock } from '../../../support/callback-clock.ts';
import { VERSION } from '../../../../shared/schemas/version.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { Agents } from '../../../conformance/agents.ts';

const NOW = 1_800_000_000;

let nowMs: number;
let backend: RunningBackend;
beforeEach(async () => {
  nowMs = NOW * 1000;
  backend = await startBackend({
    clock: new CallbackClock(() => nowMs),
    settings: { checks: { disk: { command: 'df', interval: 60, subscribers: ['base'], secret: 'hunter2' } } },
  });
});
afterEach(() => backend[Symbol.asyncDispose]());

const get = (target: string): Promise<Answer> => send(backend.url, { method: 'GET', target });
const remove = (target: string): Promise<Answer> => send(backend.url, { method: 'DELETE', target });
const post = (target: string, body: unknown): Promise<Answer> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });
const namesIn = ({ body }: Answer): string[] => Object.keys(body as object);

test.each([
  { client: { name: 'e1' }, check: { name: 'disk', output: 'full', status: 2 } },
  { client: 'e1', name: 'disk', output: 'full', status: 2 },
])('a result that names its client is stored for that client: %j', async (result) => {
  expect((await post('/results', result)).status).toBe(202);
  expect((await post('/api/mon/v1/results', [result])).body).toEqual({ accepted: 1, rejected: [] });
  expect((await get('/results/e1/disk')).body).toMatchObject({ client: 'e1', check: { name: 'disk' } });
  expect((await get('/clients')).body).toMatchObject([{ name: 'e1' }]);
});

describe('the order of attributes', () => {
  test('a client is returned with its attributes in the order in which they were sent', async () => {
    await post('/clients', { environment: 'prod', redact: [], address: 'a', keepalives: true, name: 'web' });
    const own = ['environment', 'redact', 'address', 'keepalives', 'name'];
    expect(namesIn(await get('/clients/web'))).toEqual([...own, 'version', 'timestamp', 'subscriptions']);
  });

  test('a check is returned with its attributes in their order, before its name', async () => {
    expect(namesIn(await get('/checks/disk'))).toEqual(['command', 'interval', 'subscribers', 'secret', 'name']);
  });
});

describe('an array of results', () => {
  const batch = '/api/mon/v1/results';

  test('an array of results stores its valid results and names its invalid results by index', async () => {
    const answer = await post(batch, [
      { name: 'a', output: 'o', status: 1, source: 'web' },
      { name: 'b' },
      'nothing',
      { name: 'c', output: 'o', source: 'web' },
    ]);
    expect(answer).toMatchObject({
      status: 202,
      body: {
        accepted: 2,
        rejected: [
          { index: 1, error: 'output: expected string, received undefined' },
          { index: 2, error: 'expected object, received string' },
        ],
      },
    });
    expect((await get('/results/web')).body).toMatchObject([{ check: { name: 'a' } }, { check: { name: 'c' } }]);
  });

  test('the results of one check in an array are stored in their order', async () => {
    await post(
      batch,
      [0, 1, 2, 2].map((status) => ({ name: 'a', output: 'o', status, source: 'web' })),
    );
    expect((await get('/events/web/a')).body).toMatchObject({
      occurrences: 2,
      check: { history: ['0', '1', '2', '2'] },
    });
  });

  test('a fraction such as 1.0 in one result of an array rejects only that result', async () => {
    const body = '[{"name":"a","output":"o","status":1},{"name":"b","output":"o","status":1.0}]';
    const answer = await send(backend.url, { method: 'POST', target: batch, body });
    expect(answer.body).toMatchObject({ accepted: 1, rejected: [{ index: 1 }] });
  });

  test('an array of results may be empty and may contain 10,000 results', async () => {
    expect((await post(batch, [])).body).toEqual({ accepted: 0, rejected: [] });
    const items = Array.from({ length: 10_000 }, (_, index) => ({ name: `c${String(index)}`, output: '' }));
    expect((await post(batch, items)).body).toEqual({ accepted: 10_000, rejected: [] });
    expect(await post(batch, [...items, 1])).toMatchObject({
      status: 400,
      body: { error: '10001 results are too many: send at most 10000' },
    });
  });
});

describe('silences', () => {
  test('silences can be found by id, by check, by subscription, and by a prefix of the subscription', async () => {
    await post('/silenced', { subscription: 'client:web' });
    await post('/silenced', { subscription: 'client:web', check: 'disk' });
    await post('/silenced', { check: 'disk', expire: 60, reason: 'works', creator: 'ann' });
    const idsIn = async (target: string): Promise<unknown> =>
      ((await get(target)).body as { id: string }[]).map(({ id }) => id);

    expect(await idsIn('/silenced')).toEqual(['*:disk', 'client:web:*', 'client:web:disk']);
    expect(await idsIn('/silenced/checks/disk')).toEqual(['*:disk', 'client:web:disk']);
    expect(await idsIn('/silenced/subscriptions/client:web')).toEqual(['client:web:*', 'client:web:disk']);
    expect(await idsIn('/silenced/subscriptions/client%3Aweb')).toEqual(['client:web:*', 'client:web:disk']);
    expect(await idsIn('/silenced/subscriptions/client')).toEqual([]);
    expect(await idsIn('/silenced/subscriptions/client?prefix=true')).toEqual(['client:web:*', 'client:web:disk']);
    expect((await get('/silenced/ids/*:disk')).body).toEqual({
      id: '*:disk',
      subscription: null,
      check: 'disk',
      reason: 'works',
      creator: 'ann',
      begin: null,
      expire_on_resolve: false,
      timestamp: NOW,
      expire: 60,
    });
  });

  test('a silence no longer exists once it has expired or was deleted', async () => {
    await post('/silenced', { check: 'disk', expire: 60 });
    await post('/silenced', { check: 'load' });
    nowMs += 60_000;
    expect((await get('/silenced/ids/*:disk')).status).toBe(404);
    expect((await get('/silenced?limit=5')).headers['x-pagination']).toBe('{"limit":5,"offset":0,"total":1}');
    expect((await remove('/silenced/ids/*:load')).status).toBe(204);
    expect(await remove('/silenced/ids/*:load')).toMatchObject({
      status: 404,
      body: { error: 'there is no silence *:load' },
    });
  });
});

describe('the deletion of a client', () => {
  const client = { name: 'web', address: 'a' };

  test.each([
    { query: '', comesBack: true },
    { query: '?invalidate=true', comesBack: true },
    { query: '?invalidate=true&invalidate_expire=60', comesBack: false },
    { query: '?invalidate&invalidate_expire=60', comesBack: false },
    { query: '?invalidate=false&invalidate_expire=60', comesBack: true },
    { query: '?invalidate_expire=60', comesBack: true },
    { query: '?invalidate=true&60', comesBack: true },
  ])(
    'a keepalive after deleting a client with "$query" creates the client again: $comesBack',
    async ({ query, comesBack }) => {
      const agents = new Agents(backend.url);
      await agents.publish('keepalives', client);
      expect(await remove(`/clients/web${query}`)).toMatchObject({ status: 202, body: { issued: NOW } });
      await agents.publish('keepalives', client);
      expect((await get('/clients/web')).status).toBe(comesBack ? 200 : 404);
      nowMs += 60_000;
      await agents.publish('keepalives', client);
      expect((await get('/clients/web')).status).toBe(200);
    },
  );
});

describe('secrets', () => {
  test('secrets are redacted in settings, results, events and clients, even with redacted=false', async () => {
    await post('/clients', { name: 'web', address: 'a', password: 'hunter2' });
    await post('/results', { name: 'disk', output: 'o', status: 1, source: 'web', db: { api_key: 'hunter2' } });
    for (const target of [
      '/settings?redacted=false',
      '/results',
      '/events/web/disk',
      '/clients',
      '/clients/web/history',
    ]) {
      const { status, text } = await get(target);
      expect(status).toBe(200);
      expect(text).toContain('REDACTED');
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('GET /info', () => {
  test('GET /info has the keys and types that clients of Sensu Core read, and the version of mon', async () => {
    const count = expect.toSatisfy(Number.isInteger) as number;
    const digest = { hexdigest: expect.stringMatching(/^[\da-f]{64}$/) as string };
    expect((await get('/info')).body).toEqual({
      sensu: { version: '1.9.0', settings: digest },
      transport: {
        name: 'websocket',
        keepalives: { messages: count, consumers: 1 },
        results: { messages: count, consumers: 1 },
        connected: true,
      },
      redis: { connected: true },
      servers: [
        {
          id: expect.any(String) as string,
          hostname: expect.any(String) as string,
          address: '127.0.0.1',
          tasks: expect.any(Array) as string[],
          metrics: { cpu: { user: expect.any(Number) as number, system: expect.any(Number) as number } },
          sensu: { version: '1.9.0', settings: digest },
          tessen: { enabled: false },
          timestamp: NOW,
        },
      ],
      mon: { version: VERSION, config: { loaded_at: NOW, error: null } },
    });
  });
});

describe('GET /health', () => {
  test.each([
    { query: '', problems: undefined },
    { query: '?consumers=1&messages=0', problems: undefined },
    { query: '?consumers=abc&messages=-1', problems: undefined },
    {
      query: '?consumers=2',
      problems: [
        'keepalive consumers (1) less than min_consumers (2)',
        'result consumers (1) less than min_consumers (2)',
      ],
    },
  ])('GET /health$query returns the problems that it finds', async ({ query, problems }) => {
    const { status, body } = await get(`/health${query}`);
    expect({ status, body }).toEqual({ status: problems === undefined ? 204 : 412, body: problems });
  });
});
