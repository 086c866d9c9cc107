import { beforeEach, describe, expect, test } from 'vitest';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import type { Answer } from '../../../support/raw-http.ts';

let rig: BackendRig;

const ask: Ask = (...request) => rig.ask(...request);
const report = (source: string, name: string, status: number, output = name): Promise<Answer> =>
  ask('POST', '/results', { name, output, status, source });
const list = (query: Readonly<Record<string, string>>): Promise<Answer> =>
  ask('GET', `/api/mon/v1/events?${new URLSearchParams(query).toString()}`);
const names = async (query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  ((await list(query)).body as { client: string; check: string }[]).map(({ client, check }) => `${client}/${check}`);

beforeEach(async () => {
  rig = await BackendRig.open();
  await report('web-1', 'http', 2, 'connect timeout\nmore');
  rig.clock.advance(3_600_000);
  await report('web-2', 'disk', 1, '/ 91% used');
  await report('db-1', 'disk', 2, '/ full');
  rig.clock.advance(60_000);
  await report('db-1', 'load', 3, 'what?');
  await ask('POST', '/silenced', { subscription: 'client:db-1', check: 'disk' });
});

describe('GET /api/mon/v1/events', () => {
  test('GET /api/mon/v1/events returns the rows of the feed, the most severe first and silenced events last', async () => {
    const { status, body } = await list({});
    const now = Math.floor(rig.clock.now() / 1000);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        client: 'web-1',
        check: 'http',
        status: 2,
        action: 'create',
        occurrences: 1,
        since: now - 3660,
        last: now - 3660,
        silenced_by: [],
        output: 'connect timeout',
      },
      { client: 'web-2', check: 'disk', status: 1 },
      { client: 'db-1', check: 'load', status: 3 },
      { client: 'db-1', check: 'disk', status: 2, silenced_by: ['client:db-1:disk'] },
    ]);
  });

  test.each([
    ['disk', ['web-2/disk', 'db-1/disk']],
    ['disk and not silenced', ['web-2/disk']],
    ['client~web-* status>=warn', ['web-1/http', 'web-2/disk']],
    ['age>1h or output~full', ['web-1/http', 'db-1/disk']],
    ['nothing-like-it', []],
  ])('GET /api/mon/v1/events with the search "%s" returns the matching events', async (q, expected) => {
    expect(await names({ q })).toEqual(expected);
  });

  test.each([
    ['client', ['db-1/disk', 'db-1/load', 'web-1/http', 'web-2/disk']],
    ['-client', ['web-2/disk', 'web-1/http', 'db-1/disk', 'db-1/load']],
    ['age', ['db-1/load', 'db-1/disk', 'web-2/disk', 'web-1/http']],
    ['-age', ['web-1/http', 'db-1/disk', 'web-2/disk', 'db-1/load']],
  ])('GET /api/mon/v1/events can sort the events by %s', async (sort, expected) => {
    expect(await names({ sort })).toEqual(expected);
  });

  test('GET /api/mon/v1/events searches and sorts by attributes of the client, also after they change', async () => {
    await ask('POST', '/clients', { name: 'web-1', address: 'a', rack: 'r20', subscriptions: ['rack:r20'] });
    await ask('POST', '/clients', { name: 'db-1', address: 'b', rack: 'r3' });
    expect(await names({ q: 'client.rack=r20' })).toEqual(['web-1/http']);
    expect(await names({ q: 'subscription=rack:r20 or rack=r3', sort: '-client.rack' })).toEqual([
      'db-1/disk',
      'db-1/load',
      'web-1/http',
    ]);
    await ask('POST', '/clients', { name: 'web-1', address: 'a', rack: 'r21' });
    expect(await names({ q: 'client.rack=r20' })).toEqual([]);
    expect(await list({ q: 'disk client.password~a' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('client.password is secret') },
    });
  });

  test('GET /api/mon/v1/events filters the events before it paginates them', async () => {
    const { headers, body } = await list({ q: '!http', sort: 'client', limit: '1', offset: '1' });
    expect(headers['x-pagination']).toBe('{"limit":1,"offset":1,"total":3}');
    expect(body).toMatchObject([{ client: 'db-1', check: 'load' }]);
  });

  test('GET /api/mon/v1/events rejects an invalid search with the position of the error and a remedy', async () => {
    expect(await list({ q: 'disk status>=bad' })).toMatchObject({
      status: 400,
      body: { error: 'q: "bad" is not a status: use ok, warn, crit, unknown or a number (at character 14)' },
    });
    expect(await list({ q: 'x'.repeat(1025) })).toMatchObject({ status: 400 });
    expect(await list({ sort: 'colour' })).toMatchObject({
      status: 400,
      body: {
        error:
          'sort must be status, client, check, count, age, last, subscriptions, client.NAME or check.NAME; a leading "-" reverses the order',
      },
    });
  });
});
