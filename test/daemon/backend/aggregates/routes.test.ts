import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallbackClock } from '../../../support/callback-clock.ts';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const NOW = 1_800_000_000;

let nowMs: number;
let dir: string;
let backend: Backend;
const start = async (checks: Readonly<Record<string, object>> = {}): Promise<Backend> =>
  openBackend({
    dir,
    clock: new CallbackClock(() => nowMs),
    definitions: {
      checks: new Map(Object.entries(checks).map(([name, check]) => [name, { ...DEFINITION, ...check }])),
    },
  });
beforeEach(async () => {
  nowMs = NOW * 1000;
  dir = await tempDir();
  backend = await start();
});
afterEach(() => backend.stop());

const DEFINITION = { command: 'true', interval: 60, subscribers: ['base'] };

async function restart(checks?: Readonly<Record<string, object>>): Promise<void> {
  await backend.stop();
  backend = await start(checks);
}

const get = (target: string): Promise<Answer> => send(backend.url, { method: 'GET', target });
const remove = (target: string): Promise<Answer> => send(backend.url, { method: 'DELETE', target });
const post = (target: string, body: unknown): Promise<Answer> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

const submit = (more: object): Promise<Answer> => post('/results', { name: 'web', output: 'o', ...more });

async function report(source: string, name: string, more: object = {}): Promise<void> {
  const answer = await submit({ source, name, aggregate: 'app', ...more });
  expect(answer.status).toBe(202);
}

async function summary(target = '/aggregates/app'): Promise<unknown> {
  const { status, body } = await get(target);
  return status === 200 ? body : status;
}

async function names(target = '/aggregates'): Promise<unknown> {
  return ((await get(target)).body as { name: string }[]).map(({ name }) => name);
}

const NOTHING = { ok: 0, warning: 0, critical: 0, unknown: 0, total: 0, stale: 0, silenced: 0, down: 0 };

describe('the summary of an aggregate', () => {
  test('the summary of an aggregate counts members by severity', async () => {
    for (const [at, status] of [0, 1, 2, 2, 3].entries()) await report(`c${String(at)}`, 'web', { status });
    await report('c0', 'disk', { status: 0 });
    expect(await summary()).toEqual({
      clients: 5,
      checks: 2,
      results: { ...NOTHING, ok: 2, warning: 1, critical: 2, unknown: 1, total: 6 },
    });
  });

  test('the summary of an aggregate with max_age counts older results as stale', async () => {
    await report('old', 'web', { executed: NOW - 31, status: 2 });
    await report('new', 'web', { executed: NOW - 30 });
    expect(await summary('/aggregates/app?max_age=30')).toEqual({
      clients: 2,
      checks: 1,
      results: { ...NOTHING, ok: 1, total: 1, stale: 1 },
    });
    for (const ignored of ['', 'abc', '-1', '1.5', '30s', '+30']) {
      expect(await summary(`/aggregates/app?max_age=${ignored}`)).toMatchObject({ results: { total: 2, stale: 0 } });
    }
  });

  test('the summary of an aggregate counts silenced results and results of clients that are down', async () => {
    await report('a', 'web', { status: 2 });
    await report('a', 'disk');
    await report('b', 'web', { status: 2 });
    await post('/silenced', { subscription: 'client:a', expire: 60 });
    await report('b', 'keepalive', { status: 2, aggregate: undefined });
    // The client `a` also has an OK result, which has no event and does not count as silenced.
    expect(await summary()).toMatchObject({ results: { total: 3, critical: 2, silenced: 1, down: 1 } });
    expect(await summary('/aggregates/app?max_age=60')).toMatchObject({ results: { silenced: 1, down: 1 } });

    await post('/silenced/clear', { subscription: 'client:a' });
    await report('b', 'keepalive', { status: 0, aggregate: undefined });
    expect(await summary()).toMatchObject({ results: { total: 3, silenced: 0, down: 0 } });
  });

  test('the summary of an aggregate does not count stale results as silenced or down', async () => {
    await report('a', 'web', { status: 2, executed: NOW - 100 });
    await report('a', 'keepalive', { status: 2, aggregate: undefined });
    await post('/silenced', { check: 'web' });
    expect(await summary()).toMatchObject({ results: { total: 1, silenced: 1, down: 1 } });
    expect(await summary('/aggregates/app?max_age=60')).toMatchObject({
      results: { total: 0, stale: 1, silenced: 0, down: 0 },
    });
  });

  test('the summary of an unknown aggregate returns 404 with a reason', async () => {
    expect(await get('/aggregates/app')).toMatchObject({ status: 404, body: { error: 'there is no aggregate app' } });
  });
});

describe('the members of an aggregate', () => {
  test('the members of an aggregate are listed by client and by check, both sorted by name', async () => {
    for (const [client, check] of [
      ['web-2', 'http'],
      ['web-10', 'http'],
      ['db', 'disk'],
      ['web-10', 'disk'],
    ] as const) {
      await report(client, check);
    }
    expect((await get('/aggregates/app/clients')).body).toEqual([
      { name: 'db', checks: ['disk'] },
      { name: 'web-10', checks: ['disk', 'http'] },
      { name: 'web-2', checks: ['http'] },
    ]);
    expect((await get('/aggregates/app/checks')).body).toEqual([
      { name: 'disk', clients: ['db', 'web-10'] },
      { name: 'http', clients: ['web-10', 'web-2'] },
    ]);
    expect((await get('/aggregates/app/clients?filter.name=db&limit=5')).body).toHaveLength(1);
  });

  test.each(['clients', 'checks'])('GET %s of an unknown aggregate returns 404 with an empty list', async (list) => {
    expect(await get(`/aggregates/app/${list}`)).toMatchObject({ status: 404, body: [] });
  });
});

describe('the outputs of a severity in an aggregate', () => {
  test('the outputs of a severity are grouped by check, the most frequent output first', async () => {
    for (const client of ['c', 'b', 'a']) await report(client, 'web', { status: 2, output: 'refused' });
    await report('d', 'web', { status: 2, output: 'a timeout' });
    await report('d', 'disk', { status: 2, output: 'full' });
    await report('e', 'web', { status: 1, output: 'slow' });
    expect((await get('/aggregates/app/results/critical')).body).toEqual([
      { check: 'disk', summary: [{ output: 'full', total: 1, clients: ['d'] }] },
      {
        check: 'web',
        summary: [
          { output: 'refused', total: 3, clients: ['a', 'b', 'c'] },
          { output: 'a timeout', total: 1, clients: ['d'] },
        ],
      },
    ]);
    expect((await get('/aggregates/app/results/unknown')).body).toEqual([]);
  });

  test('the outputs of a severity exclude results older than max_age', async () => {
    await report('a', 'web', { status: 1, executed: NOW - 31 });
    expect((await get('/aggregates/app/results/warning?max_age=31')).body).toHaveLength(1);
    expect((await get('/aggregates/app/results/warning?max_age=30')).body).toEqual([]);
  });

  test.each(['CRITICAL', '2', 'crit', 'stale', 'total'])(
    'the severity "%s" is rejected for existing and for unknown aggregates',
    async (word) => {
      expect(await get(`/aggregates/nope/results/${word}`)).toMatchObject({
        status: 400,
        body: { error: `"${word}" is not a severity: use one of ok, warning, critical, unknown` },
      });
    },
  );

  test('the outputs of a severity are redacted like those of results', async () => {
    await post('/clients', { name: 'a', address: 'a', redact: ['output'] });
    await report('a', 'web', { status: 2, output: 'hunter2' });
    const { text } = await get('/aggregates/app/results/critical');
    expect(text).toContain('REDACTED');
    expect(text).not.toContain('hunter2');
  });
});

test('the list of aggregates is sorted, paginated and filtered', async () => {
  await report('a', 'web', { aggregates: ['z', 'a:b', 'm'] });
  expect(await names()).toEqual(['a:b', 'm', 'z']);
  const page = await get('/aggregates?limit=1&offset=1');
  expect(page).toMatchObject({ body: [{ name: 'm' }] });
  expect(page.headers['x-pagination']).toBe('{"limit":1,"offset":1,"total":3}');
  expect(await names('/aggregates?filter.name=z')).toEqual(['z']);
  expect(await names('/aggregates?limit=&offset=')).toHaveLength(3);
});

describe('the members of an aggregate over time', () => {
  test('the membership of a check in aggregates follows the definition of the check', async () => {
    await restart({ web: { aggregates: ['one', 'two'] } });
    await report('a', 'web', { aggregate: undefined });
    expect(await names()).toEqual(['one', 'two']);
    await restart({ web: { aggregate: true } });
    // The stored result decides the membership until the next result arrives.
    expect(await names()).toEqual(['one', 'two']);
    await report('a', 'web', { aggregate: undefined });
    expect(await names()).toEqual(['web']);
  });

  test('the members of an aggregate survive a restart', async () => {
    await report('a', 'web', { status: 2 });
    await report('b', 'web', { executed: NOW - 50 });
    await post('/silenced', { check: 'web' });
    const before = [await summary(), await summary('/aggregates/app?max_age=30')];
    await restart();
    expect([await summary(), await summary('/aggregates/app?max_age=30')]).toEqual(before);
  });

  test('a check leaves its aggregate when its client or its result is deleted', async () => {
    await report('a', 'web', { status: 2 });
    await report('b', 'web', { status: 2 });
    await remove('/clients/a');
    expect(await summary()).toMatchObject({ clients: 1 });
    await remove('/results/b/web');
    expect((await get('/events/b/web')).status).toBe(200);
    expect(await summary()).toBe(404);
  });

  test('a result may name up to a hundred aggregates with names of up to 255 characters', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `a${String(at)}`);
    expect((await submit({ aggregates: many })).status).toBe(400);
    expect((await submit({ aggregates: many.slice(1) })).status).toBe(202);
    expect((await submit({ aggregate: 'a'.repeat(256) })).status).toBe(400);
    expect((await submit({ aggregate: 'a'.repeat(255) })).status).toBe(202);
  });
});

describe('deleting an aggregate', () => {
  test('a deleted aggregate gets only those members back whose next results arrive', async () => {
    await report('a', 'web');
    await report('b', 'web', { aggregates: ['app', 'other'] });
    expect((await remove('/aggregates/app')).status).toBe(204);
    expect(await summary()).toBe(404);
    expect(await names()).toEqual(['other']);
    await restart();
    expect(await names()).toEqual(['other']);

    await report('b', 'web', { aggregates: ['app', 'other'] });
    expect(await summary()).toMatchObject({ clients: 1, results: { total: 1 } });
    await restart();
    expect((await get('/aggregates/app/clients')).body).toEqual([{ name: 'b', checks: ['web'] }]);
  });

  test('deleting an unknown aggregate returns 404', async () => {
    expect(await remove('/aggregates/app')).toMatchObject({
      status: 404,
      body: { error: 'there is no aggregate app' },
    });
  });
});

describe('defects of Sensu Core in aggregates (completion 1.20)', () => {
  test('an aggregate counts a result with a negative status as unknown', async () => {
    for (const status of [-1, -2, -3, -4])
      await report(`c${String(-status)}`, 'web', { status, output: String(status) });
    expect(await summary()).toMatchObject({ results: { ok: 0, warning: 0, critical: 0, unknown: 4, total: 4 } });
  });

  test('the outputs of the severity unknown include results with a status above 3', async () => {
    await report('a', 'web', { status: 127, output: 'not found' });
    await report('b', 'web', { status: -1, output: 'killed' });
    expect((await get('/aggregates/app/results/unknown')).body).toEqual([
      {
        check: 'web',
        summary: [
          { output: 'killed', total: 1, clients: ['b'] },
          { output: 'not found', total: 1, clients: ['a'] },
        ],
      },
    ]);
  });

  test.each(['/aggregates/x:y|z', '/aggregates/x%3Ay%7Cz', '/aggregates/x%3ay%7cz'])(
    'an aggregate name may contain ":" and "|": %s',
    async (target) => {
      await report('a', 'web', { aggregate: 'x:y|z' });
      for (const part of ['', '/clients', '/checks', '/results/ok'])
        expect((await get(target + part)).status).toBe(200);
      expect((await remove(target)).status).toBe(204);
    },
  );

  test('an aggregate loses deleted members at once and disappears with its last member', async () => {
    await report('a', 'web');
    await report('b', 'web');
    await remove('/results/a/web');
    expect(await summary()).toMatchObject({ clients: 1, results: { total: 1 } });
    await remove('/results/b/web');
    expect(await summary()).toBe(404);
    expect(await names()).toEqual([]);
  });

  test('a result that no longer names an aggregate leaves the aggregate', async () => {
    await report('a', 'web');
    await report('a', 'web', { aggregate: undefined });
    expect(await summary()).toBe(404);
  });
});
