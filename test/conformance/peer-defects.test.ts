import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CallbackClock } from '../support/callback-clock.ts';
import { isInWindow, parseTimeWindows } from '../../shared/domain/time-window.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { send, type Answer, type RawRequest } from '../support/raw-http.ts';
import { startBackend } from '../support/running-backend.ts';
import { startDaemon } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

// Tests that `mon` does not copy the defects of Sensu Core: the rows of completion 1.20, in their order and with their
// names.

const NOW = 1_800_000_000;

interface Rig {
  ask(method: string, target: string, body?: unknown): Promise<Answer>;
  get(target: string): Promise<unknown>;
  report(source: string, name: string, status: number, more?: object): Promise<void>;
}

let nowMs: number;
beforeEach(() => {
  nowMs = NOW * 1000;
});

/** Starts a backend whose clock stands still unless the test changes the time. */
async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<Rig> {
  const backend = await startBackend({ settings, clock: new CallbackClock(() => nowMs) });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  return rigOf(backend.url);
}

function rigOf(url: string): Rig {
  const ask: Rig['ask'] = (method, target, body) =>
    send(url, { method, target, body: body === undefined ? null : JSON.stringify(body) });
  return {
    ask,
    get: async (target) => (await ask('GET', target)).body,
    report: async (source, name, status, more = {}) => {
      const answer = await ask('POST', '/results', { source, name, status, output: 'o', ...more });
      expect(answer).toMatchObject({ status: 202 });
    },
  };
}

const namesIn = (list: unknown): string[] =>
  (list as readonly { readonly name?: string; readonly check?: { readonly name: string } }[]).map(
    ({ name, check }) => name ?? check?.name ?? '',
  );
const idsIn = (list: unknown): string[] => (list as readonly { readonly id: string }[]).map(({ id }) => id);

describe('null check/subscription id', () => {
  test.each([
    { entry: { subscription: null, check: 'disk' }, id: '*:disk' },
    { entry: { subscription: 'client:web-1', check: null }, id: 'client:web-1:*' },
  ])('null check/subscription id: the silence $entry has the id $id and silences the event', async ({ entry, id }) => {
    const rig = await start();
    await rig.report('web-1', 'disk', 2);
    expect((await rig.ask('POST', '/silenced', entry)).status).toBe(201);
    expect(idsIn(await rig.get('/silenced'))).toEqual([id]);
    expect(await rig.get('/events/web-1/disk')).toMatchObject({ silenced: true, silenced_by: [id] });
    expect((await rig.ask('POST', '/silenced/clear', entry)).status).toBe(204);
  });
});

test('cors:false ignored: no response has a CORS header if api.cors is false', async () => {
  const rig = await start({ api: { cors: false } });
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await rig.ask(method, '/clients');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

describe('expire -1 deletes', () => {
  test.each([
    { target: '/silenced', body: { check: 'disk', expire: -1 } },
    { target: '/stashes', body: { path: 'note', content: {}, expire: -1 } },
  ])('expire -1 deletes: an entry of $target with expire -1 never expires', async ({ target, body }) => {
    const rig = await start();
    expect((await rig.ask('POST', target, body)).status).toBe(201);
    nowMs += 10 * 365 * 86_400_000;
    expect(await rig.get(target)).toMatchObject([{ expire: -1 }]);
  });
});

describe('suffix/prefix lookups', () => {
  test.each([
    '/silenced/ids/web-1:*',
    '/silenced/ids/disk',
    '/silenced/ids/*:d.sk',
    '/silenced/subscriptions/client',
    '/silenced/subscriptions/web-1',
    '/silenced/checks/isk',
    '/silenced/checks/d.sk',
  ])('suffix/prefix lookups: GET %s with a part of a name finds no silence', async (target) => {
    const rig = await start();
    await rig.ask('POST', '/silenced', { subscription: 'client:web-1' });
    await rig.ask('POST', '/silenced', { check: 'disk' });
    const { status, body } = await rig.ask('GET', target);
    expect([status, body]).toEqual(target.startsWith('/silenced/ids/') ? [404, body] : [200, []]);
  });

  test('suffix/prefix lookups: silences are found by a prefix of their subscription only with prefix=true', async () => {
    const rig = await start();
    await rig.ask('POST', '/silenced', { subscription: 'client:web-1' });
    await rig.ask('POST', '/silenced', { subscription: 'clients' });
    const found = await rig.get('/silenced/subscriptions/client?prefix=true');
    expect(idsIn(found)).toEqual(['client:web-1:*']);
  });
});

test('unstable page order: lists are sorted by name, so that pages stay stable while results arrive', async () => {
  const rig = await start();
  for (const name of ['m', 'b', 'z', 'a', 'k']) await rig.report('web', name, 2, { aggregate: name });
  for (const target of ['/events', '/results', '/aggregates']) {
    const sorted = ['a', 'b', 'k', 'm', 'z'];
    expect(namesIn(await rig.get(target))).toEqual(sorted);
    for (const [offset, name] of sorted.entries()) {
      expect(namesIn(await rig.get(`${target}?limit=1&offset=${String(offset)}`))).toEqual([name]);
      // Results that arrive between two pages do not move the items of a page.
      await rig.report('web', name, 2, { aggregate: name });
    }
  }
});

test('filter after paginate: a list is filtered before it is paginated', async () => {
  const rig = await start();
  for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await rig.report('web', name, 1 + (at % 2));
  const page = await rig.ask('GET', '/events?limit=2&offset=1&filter.check.status=1');
  expect(namesIn(page.body)).toEqual(['c', 'e']);
  expect(page.headers).toMatchObject({
    'x-pagination': JSON.stringify({ limit: 2, offset: 1, total: 3 }),
    'x-total-unfiltered': '5',
  });
});

test('undecoded query and path: names in the path and values in the query are decoded', async () => {
  const rig = await start();
  await rig.report('web-1', 'disk', 2, { output: 'o2 x' });
  await rig.ask('POST', '/silenced', { subscription: 'client:web-1' });
  expect((await rig.ask('GET', '/events/web%2D1/d%69sk')).status).toBe(200);
  expect((await rig.ask('GET', '/silenced/ids/client%3Aweb-1%3A%2A')).status).toBe(200);
  expect(await rig.get('/events?filter.check.output=o2%20x')).toHaveLength(1);
  expect(await rig.get('/events?filter.check.output=o2+x')).toHaveLength(1);
});

describe('expire_on_resolve', () => {
  test('expire_on_resolve before begin: a resolution before the begin of a silence does not clear the silence', async () => {
    const rig = await start();
    await rig.ask('POST', '/silenced', { check: 'disk', begin: NOW + 60, expire_on_resolve: true });
    await rig.report('web', 'disk', 2);
    await rig.report('web', 'disk', 0);
    expect(idsIn(await rig.get('/silenced'))).toEqual(['*:disk']);
    nowMs += 60_000;
    await rig.report('web', 'disk', 2);
    await rig.report('web', 'disk', 0);
    expect(await rig.get('/silenced')).toEqual([]);
  });

  test('expire_on_resolve under auto_resolve false: an OK result that leaves its event open clears no silence', async () => {
    const rig = await start();
    await rig.ask('POST', '/silenced', { check: 'disk', expire_on_resolve: true });
    for (const status of [2, 0]) await rig.report('web', 'disk', status, { auto_resolve: false });
    expect(await rig.get('/events/web/disk')).toMatchObject({ check: { status: 2 }, silenced: true });
    expect(idsIn(await rig.get('/silenced'))).toEqual(['*:disk']);
    await rig.ask('POST', '/resolve', { client: 'web', check: 'disk' });
    expect(await rig.get('/silenced')).toEqual([]);
  });

  test('an OK result without an open event does not clear a silence with expire_on_resolve', async () => {
    const rig = await start();
    await rig.ask('POST', '/silenced', { check: 'disk', expire_on_resolve: true });
    await rig.report('web', 'disk', 0);
    expect(idsIn(await rig.get('/silenced'))).toEqual(['*:disk']);
  });
});

describe('stale silenced', () => {
  test('stale silenced: an event is shown as silenced exactly while a silence covers it', async () => {
    const rig = await start();
    await rig.report('web', 'disk', 2);
    const silencing = async (): Promise<unknown> => {
      const event = (await rig.get('/events/web/disk')) as Readonly<Record<'silenced' | 'silenced_by', unknown>>;
      return [event.silenced, event.silenced_by];
    };
    expect(await silencing()).toEqual([false, []]);
    await rig.ask('POST', '/silenced', { check: 'disk' });
    await rig.ask('POST', '/silenced', { subscription: 'client:web', expire: 60 });
    expect(await silencing()).toEqual([true, ['client:web:*', '*:disk']]);
    nowMs += 61_000;
    expect(await silencing()).toEqual([true, ['*:disk']]);
    await rig.ask('POST', '/silenced/clear', { check: 'disk' });
    expect(await silencing()).toEqual([false, []]);
  });
});

test('negative status severity: an aggregate counts a result with a negative status as unknown', async () => {
  const rig = await start();
  for (const status of [-1, -2, -3, -4]) {
    await rig.report(`web${String(status)}`, 'disk', status, { aggregate: 'app' });
  }
  expect(await rig.get('/aggregates/app')).toMatchObject({
    results: { ok: 0, warning: 0, critical: 0, unknown: 4, total: 4 },
  });
  expect(await rig.get('/events')).toHaveLength(4);
});

test('status > 3 missing from unknown: an aggregate counts a result with a status above 3 as unknown', async () => {
  const rig = await start();
  for (const status of [3, 4, 127, 255])
    await rig.report(`web-${String(status)}`, 'disk', status, { aggregate: 'app' });
  expect(await rig.get('/aggregates/app')).toMatchObject({ results: { unknown: 4 } });
  const clients = ['web-127', 'web-255', 'web-3', 'web-4'];
  expect(await rig.get('/aggregates/app/results/unknown')).toEqual([
    { check: 'disk', summary: [{ output: 'o', total: 4, clients }] },
  ]);
});

describe('aggregate names with : or |', () => {
  test.each(['/aggregates/x:y|z', '/aggregates/x%3Ay%7Cz'])(
    'aggregate names with : or |: GET and DELETE find the aggregate %s',
    async (target) => {
      const rig = await start();
      await rig.report('web', 'disk', 0, { aggregate: 'x:y|z' });
      for (const path of ['', '/clients', '/checks', '/results/ok']) {
        expect((await rig.ask('GET', target + path)).status).toBe(200);
      }
      expect((await rig.ask('DELETE', target)).status).toBe(204);
    },
  );
});

describe('lazy member pruning', () => {
  test('lazy member pruning: a deleted result leaves its aggregate, which disappears with its last member', async () => {
    const rig = await start();
    for (const client of ['a', 'b']) await rig.report(client, 'disk', 0, { aggregate: 'app' });
    await rig.ask('DELETE', '/results/a/disk');
    expect(await rig.get('/aggregates/app')).toMatchObject({ clients: 1, results: { total: 1 } });
    await rig.ask('DELETE', '/clients/b');
    expect((await rig.ask('GET', '/aggregates/app')).status).toBe(404);
    expect(await rig.get('/aggregates')).toEqual([]);
  });
});

describe('settings secrets', () => {
  test.each(['', '?redacted=true', '?redacted=false', '?redacted=FALSE'])(
    'settings secrets: GET /settings%s redacts secrets',
    async (query) => {
      const handlers = { mail: { type: 'pipe', command: 'mail', smtp: { password: 'hunter2' } } };
      const rig = await start({ handlers });
      const { status, text } = await rig.ask('GET', `/settings${query}`);
      expect(status).toBe(200);
      expect(text).toContain('REDACTED');
      expect(text).not.toContain('hunter2');
    },
  );
});

test('event bodies leak client secrets: /events redacts the secrets of clients and checks', async () => {
  const rig = await start();
  await rig.ask('POST', '/clients', { name: 'web', address: 'a', db: { password: 'hunter2' } });
  await rig.report('web', 'disk', 2, { api_token: 'hunter2' });
  for (const target of ['/events', '/events/web', '/events/web/disk', '/incidents', '/events?filter.client.name=web']) {
    const { text } = await rig.ask('GET', target);
    expect(text).toContain('REDACTED');
    expect(text).not.toContain('hunter2');
  }
});

test('request bodies in logs: the log contains no request body, query or credentials', async () => {
  await using daemon = await startDaemon({ stateDir: await tempDir(), args: ['--log-level', 'debug'] });
  const body = JSON.stringify({ name: 'web', address: 'a', note: 'said-in-a-body' });
  const requests: Partial<RawRequest>[] = [
    { method: 'POST', target: '/clients', body },
    { method: 'POST', target: '/clients', body: `${body}}` },
    { method: 'POST', target: '/results', body },
    { method: 'GET', target: '/clients?filter.note=said-in-a-query' },
    { method: 'GET', target: '/clients', headers: { Authorization: 'Basic said-in-a-header' } },
  ];
  for (const request of requests) await send(daemon.url, { method: 'GET', target: '/', ...request });
  await vi.waitFor(() => {
    expect(daemon.records.filter(({ message }) => message === 'api response')).toHaveLength(requests.length);
  });
  expect(JSON.stringify(daemon.records)).not.toContain('said-in');
});

describe('DELETE check 202 for nothing and orphan events', () => {
  test('DELETE check: deleting a check resolves its events and deletes its results', async () => {
    const rig = await start();
    for (const client of ['a', 'b']) await rig.report(client, 'disk', 2, { aggregate: 'app' });
    await rig.report('a', 'load', 1);
    expect(await rig.ask('DELETE', '/checks/disk')).toMatchObject({ status: 202, body: { issued: NOW } });
    expect(namesIn(await rig.get('/events'))).toEqual(['load']);
    expect(namesIn(await rig.get('/results'))).toEqual(['load']);
    expect(await rig.get('/aggregates')).toEqual([]);
  });

  test('DELETE check: deleting an unknown check returns 202, so that a repeated request does not fail', async () => {
    const rig = await start();
    expect((await rig.ask('DELETE', '/checks/nope')).status).toBe(202);
  });
});

test('resolve result switching off TTL: the TTL of a check still expires after a manual resolve', async () => {
  const clock = new ManualClock();
  await using backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  const rig = rigOf(backend.url);
  await rig.report('web', 'backup', 2, { ttl: 60 });
  await rig.ask('POST', '/resolve', { client: 'web', check: 'backup' });
  expect(await rig.get('/events')).toEqual([]);
  for (let second = 0; second < 60; second++) clock.advance(1000);
  await vi.waitFor(async () => {
    expect(await rig.get('/events')).toMatchObject([
      { check: { name: 'backup', status: 1, output: 'Last check execution was 60 seconds ago' } },
    ]);
  });
});

describe('subdue day wrap', () => {
  const windows = parseTimeWindows({ days: { friday: [{ begin: '5:00 PM', end: '8:00 AM' }] } });
  // 2026-11-20 is a Friday.
  test.each([
    { at: '2026-11-20T07:00:00Z', isSubdued: false, because: 'Friday morning is in no window' },
    { at: '2026-11-20T17:00:00Z', isSubdued: true, because: 'the window begins on Friday evening' },
    { at: '2026-11-20T23:59:59Z', isSubdued: true, because: 'the window lasts until midnight' },
    { at: '2026-11-21T07:59:59Z', isSubdued: true, because: 'the window continues on Saturday morning' },
    { at: '2026-11-21T08:00:01Z', isSubdued: false, because: 'the window has ended' },
    { at: '2026-11-21T17:00:00Z', isSubdued: false, because: 'Saturday evening is in no window' },
  ])('subdue day wrap: the subdue window is evaluated correctly at $at: $because', ({ at, isSubdued }) => {
    expect(isInWindow(windows, Date.parse(at), 'UTC')).toBe(isSubdued);
  });
});
