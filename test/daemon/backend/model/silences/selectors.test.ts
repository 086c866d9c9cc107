import { beforeEach, describe, expect, test } from 'vitest';
import { selectorId } from '../../../../../shared/domain/silencing.ts';
import type { Ask } from '../../../../support/asking.ts';
import { BackendRig } from '../../../../support/backend-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Answer } from '../../../../support/raw-http.ts';

const NOW = ManualClock.START_MS / 1000;
const SELECTOR = 'client~web-* env=prod check!=backup';
const ID = selectorId(SELECTOR);

let rig: BackendRig;

const ask: Ask = (...request) => rig.ask(...request);
const client = (name: string, attributes: object): Promise<Answer> =>
  ask('POST', '/clients', { name, address: '192.0.2.1', subscriptions: ['web'], ...attributes });
const report = (source: string, name: string, attributes: object = {}): Promise<Answer> =>
  ask('POST', '/results', { name, output: 'bad', status: 2, source, ...attributes });
const silence = (selector: string, more: object = {}): Promise<Answer> =>
  ask('POST', '/api/mon/v1/silenced', { selector, reason: 'why', ...more });

/** Returns `client/check` of the silenced events. */
async function silenced(): Promise<string[]> {
  const { body } = await ask('GET', '/events');
  return (body as { client: { name: string }; check: { name: string }; silenced: boolean }[])
    .filter((event) => event.silenced)
    .map((event) => `${event.client.name}/${event.check.name}`)
    .toSorted();
}

/** Returns the number of members of the aggregate `all` with a silenced event. */
const silencedMembers = async (): Promise<number> =>
  ((await ask('GET', '/aggregates/all')).body as { results: { silenced: number } }).results.silenced;

const simulated = async (attributes: object): Promise<unknown> =>
  (
    await ask('POST', '/api/mon/v1/simulate', {
      source: 'web-1',
      name: 'disk',
      output: '',
      status: 1,
      ...attributes,
    })
  ).body;
const bulk = async (operation: object): Promise<{ undo: object }> =>
  ((await ask('POST', '/api/mon/v1/bulk', { operations: [operation] })).body as { results: [{ undo: object }] })
    .results[0];

/** Returns a selector with twenty attributes. */
const selectorWithAttributes = (from: number): string =>
  Array.from({ length: 20 }, (_, at) => `client.a${String(from + at)}=1`).join(' ');

beforeEach(async () => {
  rig = await BackendRig.open();
  await client('web-1', { env: 'prod' });
  await client('web-2', { env: 'test' });
  await client('db-1', { env: 'prod' });
  for (const name of ['web-1', 'web-2', 'db-1']) {
    await report(name, 'disk');
    await report(name, 'backup', { team: 'storage' });
  }
});

describe('a silence by search', () => {
  test('a silence by search silences the matching events from its creation on', async () => {
    expect(await silence(SELECTOR)).toMatchObject({ status: 201 });
    expect(await silenced()).toEqual(['web-1/disk']);
    expect((await ask('GET', '/events/web-1/disk')).body).toMatchObject({ silenced: true, silenced_by: [ID] });
  });

  test('the mon API shows a silence by search with its selector, the other APIs show only its id', async () => {
    await silence(SELECTOR, { expire: 60, creator: 'alice' });
    const entry = {
      id: ID,
      subscription: null,
      check: null,
      reason: 'why',
      creator: 'alice',
      begin: null,
      expire_on_resolve: false,
      timestamp: NOW,
      expire: 60,
    };
    expect((await ask('GET', '/silenced')).body).toEqual([entry]);
    expect((await ask('GET', `/silenced/ids/${ID}`)).body).toEqual(entry);
    const detail = { ...entry, selector: SELECTOR, expire_at: NOW + 60, suppressed: 0, last_suppressed: null };
    expect((await ask('GET', '/api/mon/v1/silenced')).body).toEqual([detail]);
    expect((await ask('GET', '/api/mon/v1/silenced?q=selector~web-')).body).toEqual([detail]);
    expect((await ask('GET', '/api/core/v2/namespaces/default/silenced')).body).toMatchObject([
      { metadata: { name: ID, namespace: 'default' } },
    ]);
  });

  test.each([
    ['POST', '/silenced/clear', { id: ID }],
    ['DELETE', `/silenced/ids/${ID}`, undefined],
    ['POST', '/api/mon/v1/silenced/clear', { id: ID }],
    ['DELETE', `/api/core/v2/namespaces/default/silenced/${ID}`, undefined],
  ])('a silence by search can be cleared by its id: %s %s', async (method, path, body) => {
    await silence(SELECTOR);
    expect((await ask(method, path, body)).status).toBe(204);
    expect(await silenced()).toEqual([]);
    expect((await ask('GET', '/silenced')).body).toEqual([]);
  });

  test('a silence by search replaces a silence with the same selector, and others remain', async () => {
    await silence(SELECTOR, { expire: 60 });
    await silence(`  ${SELECTOR}`, { expire: 600 });
    await silence('client=db-1');
    expect((await ask('GET', '/silenced')).body).toMatchObject([{ expire: -1 }, { expire: 600 }]);
    expect(await silenced()).toEqual(['db-1/backup', 'db-1/disk', 'web-1/disk']);
  });

  test('a silence by search begins and expires at the requested times', async () => {
    await silence('client=db-1', { begin: NOW + 60, expire: 60 });
    expect(await silenced()).toEqual([]);
    rig.clock.advance(61_000);
    expect(await silenced()).toEqual(['db-1/backup', 'db-1/disk']);
    rig.clock.advance(60_000);
    expect(await silenced()).toEqual([]);
  });

  test('a silence by search with expire_on_resolve ends when the first event that it covers resolves', async () => {
    await silence('client=db-1', { expire_on_resolve: true });
    await ask('POST', '/results', { name: 'disk', output: 'well', status: 0, source: 'web-1' });
    expect(await silenced()).toEqual(['db-1/backup', 'db-1/disk']);
    await ask('POST', '/results', { name: 'disk', output: 'well', status: 0, source: 'db-1' });
    expect(await silenced()).toEqual([]);
  });

  test('a silence by search is evaluated again when the attributes of a client change', async () => {
    await silence(SELECTOR);
    await client('web-2', { env: 'prod' });
    expect(await silenced()).toEqual(['web-1/disk', 'web-2/disk']);
    await client('web-1', { env: 'staging' });
    expect(await silenced()).toEqual(['web-2/disk']);
    await silence('subscriptions=blue');
    await client('web-1', { env: 'staging', subscriptions: ['blue'] });
    expect(await silenced()).toEqual(['web-1/backup', 'web-1/disk', 'web-2/disk']);
  });

  test('a silence by search is evaluated again when the attributes of a check change, before its notification', async () => {
    await silence('check.team=storage');
    expect(await silenced()).toEqual(['db-1/backup', 'web-1/backup', 'web-2/backup']);
    await report('web-1', 'backup', { team: 'web' });
    await report('web-1', 'raid', { team: 'storage' });
    expect(await silenced()).toEqual(['db-1/backup', 'web-1/raid', 'web-2/backup']);
    const { body } = await ask('GET', '/api/mon/v1/timeline?client=web-1&q=kind=create%20check=raid');
    expect(body).toMatchObject({ transitions: [{ check: 'raid', silenced_by: [selectorId('check.team=storage')] }] });
  });

  test.each([
    { name: 'that recovers', well: { resolve_after: 3 } },
    { name: 'that stays open', well: { auto_resolve: false } },
  ])(
    'a silence by search is evaluated again when an OK result changes the attributes of an event $name',
    async ({ well }) => {
      await silence('check.team=storage client=web-2');
      await report('web-2', 'disk', { aggregates: ['all'], ...well });
      expect(await silencedMembers()).toBe(0);
      await report('web-2', 'disk', { aggregates: ['all'], status: 0, team: 'storage', ...well });
      expect(await silencedMembers()).toBe(1);
      expect(await silenced()).toEqual(['web-2/backup', 'web-2/disk']);
      await report('web-2', 'disk', { aggregates: ['all'], status: 0, ...well });
      expect(await silencedMembers()).toBe(0);
    },
  );

  test('a silence by search still covers an event whose result was deleted, even after a restart', async () => {
    await silence('check.team=storage client=web-1');
    await report('web-1', 'backup', { status: 0, team: 'network', resolve_after: 3 });
    expect(await silenced()).toEqual([]);
    expect((await ask('DELETE', '/results/web-1/backup')).status).toBe(204);
    expect(await silenced()).toEqual(['web-1/backup']);
    await rig.stop();
    await rig.start();
    expect(await silenced()).toEqual(['web-1/backup']);
  });

  test('a silence by search survives a restart, and so do the attributes that it names', async () => {
    await silence(SELECTOR);
    await silence('team=storage client=db-1');
    await rig.stop();
    await rig.start();
    expect(await silenced()).toEqual(['db-1/backup', 'web-1/disk']);
  });

  test('a simulation evaluates silences by search with the attributes of the simulated result', async () => {
    await silence('check.team=web');
    expect(await simulated({ team: 'web' })).toMatchObject({ event: { silenced_by: [selectorId('check.team=web')] } });
    expect(await simulated({})).toMatchObject({ event: { silenced: false } });
  });

  test('the timeline of an event shows the creation and the end of a silence by search that covers the event', async () => {
    await silence(SELECTOR);
    await ask('POST', '/silenced/clear', { id: ID });
    const { body } = await ask('GET', '/api/mon/v1/timeline?client=web-1&check=disk');
    expect(body).toMatchObject({
      transitions: [{ kind: 'clear', silence: ID, selector: SELECTOR }, { kind: 'silence' }, { kind: 'create' }],
    });
    const other = await ask('GET', '/api/mon/v1/timeline?client=web-1&check=backup');
    expect(other.body).toMatchObject({ transitions: [{ kind: 'create' }] });
    rig.clock.advance(60_000);
    await silence('client=db-1');
    rig.clock.advance(60_000);
    const spent = await ask('GET', `/api/mon/v1/availability?client=db-1&check=disk&since=${String(NOW * 1000)}`);
    expect(spent.body).toMatchObject({ total: { silenced: 60, critical: 60 } });
  });

  test('a silence by search can be created and undone in a bulk', async () => {
    const { undo } = await bulk({ op: 'silence', selector: SELECTOR, reason: 'why' });
    expect(await silenced()).toEqual(['web-1/disk']);
    const { undo: redo } = await bulk(undo);
    expect(await silenced()).toEqual([]);
    await bulk(redo);
    expect(await silenced()).toEqual(['web-1/disk']);
  });

  test('the preview of a silence by search shows the events that the silence would cover', async () => {
    const { body } = await ask('POST', '/api/mon/v1/silenced/preview', { entries: [{ selector: 'env=prod' }] });
    expect(body).toEqual({
      recovered: 0,
      since: NOW,
      events: {
        total: 4,
        critical: 4,
        warning: 0,
        unknown: 0,
        ok: 0,
        silenced: 0,
        first: ['web-1/backup', 'web-1/disk', 'db-1/backup', 'db-1/disk'],
      },
    });
  });
});

test.each([
  [{ selector: 'client=web-1 status=2' }, /selector: status changes with every result and .* \(character 21\)/],
  [{ selector: ' ' }, /a selector needs at least one condition/],
  [{ selector: 'env=prod', check: 'disk' }, /or else a selector alone/],
  [{}, /at least one of subscription and check is required/],
  [{ selector: 'x'.repeat(1025) }, /selector/],
])('creating the silence by search %j is rejected', async (body, message) => {
  const refused = { status: 400, body: { error: expect.stringMatching(message) } };
  expect(await ask('POST', '/api/mon/v1/silenced', body)).toMatchObject(refused);
  expect(
    await ask('POST', '/api/mon/v1/bulk', { operations: [{ op: 'silence', reason: 'why', ...body }] }),
  ).toMatchObject(refused);
  expect((await ask('GET', '/silenced')).body).toEqual([]);
});

test('the v1 API ignores the attribute selector when it creates a silence', async () => {
  const refused = await ask('POST', '/silenced', { selector: SELECTOR });
  expect(refused).toMatchObject({ status: 400 });
  await ask('POST', '/silenced', { check: 'disk', selector: SELECTOR });
  expect((await ask('GET', '/api/mon/v1/silenced')).body).toMatchObject([{ id: '*:disk', check: 'disk' }]);
  expect(await silenced()).toEqual(['db-1/disk', 'web-1/disk', 'web-2/disk']);
});

test('the selectors of a namespace may name at most a hundred attributes, not counting cleared silences', async () => {
  for (const from of [0, 20, 40, 60, 80]) expect((await silence(selectorWithAttributes(from))).status).toBe(201);
  expect(await silence('env=prod')).toMatchObject({ status: 400, body: { code: 'threshold' } });
  await ask('POST', '/silenced/clear', { id: selectorId(selectorWithAttributes(40)) });
  expect((await silence(SELECTOR)).status).toBe(201);
  expect(await silenced()).toEqual(['web-1/disk']);
});
