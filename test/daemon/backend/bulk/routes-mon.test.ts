import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import type { AuditRecord } from '../../../../shared/schemas/audit.ts';
import type { BulkResponse, BulkOperation } from '../../../../shared/schemas/bulk.ts';
import type { SilencedView } from '../../../../shared/schemas/silenced.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import type { Answer } from '../../../support/raw-http.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

let rig: BackendRig;

/**
 * Loads the program settings with this silence policy.
 *
 * @param policy the section `silence-policy`; an empty object means the defaults
 */
async function programWith(
  policy: Readonly<Record<string, unknown>>,
): Promise<Awaited<ReturnType<typeof loadConfig>>['program']> {
  return (await loadConfig({ directories: [], env: {}, flags: { 'silence-policy': policy } })).program;
}
async function restartWith(policy: Readonly<Record<string, unknown>>): Promise<void> {
  await rig.stop();
  await rig.start({ program: await programWith(policy) });
}
beforeEach(async () => {
  rig = await BackendRig.open({ program: await programWith({ reason: 'optional' }) });
});

const ask: Ask = (...request) => rig.ask(...request);
const bulk = (operations: readonly unknown[], more = {}): Promise<Answer> =>
  ask('POST', '/api/mon/v1/bulk', { operations, ...more });
const performBulk = async (operations: readonly unknown[], more = {}): Promise<BulkResponse['results']> => {
  const answer = await bulk(operations, more);
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as BulkResponse).results;
};
/** Sends the undo operations of these results, the last one first. */
const undo = async (results: BulkResponse['results']): Promise<BulkResponse['results']> =>
  performBulk(
    results
      .flatMap((result): readonly BulkOperation[] => (result.undo === undefined ? [] : [result.undo]))
      .toReversed(),
    {
      undo: true,
    },
  );
const silenced = async (): Promise<SilencedView[]> => (await ask('GET', '/silenced')).body as SilencedView[];
const silencedIds = async (): Promise<string[]> => (await silenced()).map(({ id }) => id);
const events = async (): Promise<string[]> =>
  ((await ask('GET', '/events')).body as { client: { name: string }; check: { name: string } }[]).map(
    ({ client, check }) => `${client.name}/${check.name}`,
  );
const trail = async (): Promise<AuditRecord[]> => (await ask('GET', '/api/mon/v1/audit')).body as AuditRecord[];
const report = (source: string, name: string, more = {}): Promise<Answer> =>
  ask('POST', '/results', { name, output: 'o', status: 2, source, ...more });

describe('POST /api/mon/v1/bulk', () => {
  test('the response to a bulk contains an outcome for each operation, in order', async () => {
    await report('web-1', 'disk');
    await ask('POST', '/silenced', { check: 'swap' });
    const results = await performBulk([
      { op: 'silence', subscription: 'client:web-1', check: 'disk', expire: 60, reason: 'CHG-1', creator: 'ada' },
      { op: 'resolve', client: 'web-1', check: 'disk' },
      { op: 'resolve', client: 'web-1', check: 'disk' },
      { op: 'clear', id: '*:swap' },
      { op: 'clear', id: '*:swap' },
    ]);
    expect(results).toMatchObject([
      { ok: true, undo: { op: 'clear', id: 'client:web-1:disk' } },
      { ok: true },
      { ok: false, error: 'not_found' },
      { ok: true, undo: { op: 'restore' } },
      { ok: false, error: 'not_found' },
    ]);
    expect(results[1]).not.toHaveProperty('undo');
    expect(await events()).toEqual([]);
    expect(await silenced()).toMatchObject([
      { id: 'client:web-1:disk', expire: 60, reason: 'CHG-1', creator: 'ada', expire_on_resolve: false },
    ]);
  });

  test('a bulk of ten thousand operations is stored in one commit', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `check-${String(index)}`);
    const { writes } = rig.store;
    const results = await performBulk(names.map((check) => ({ op: 'silence', check, expire: 3600, reason: 'CHG-1' })));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(rig.store.writes).toBe(writes + 1);
    expect(await silenced()).toHaveLength(10_000);
    expect((await bulk([...names, 'one more'].map((check) => ({ op: 'silence', check })))).status).toBe(400);
    const records = (await trail()).toReversed();
    const named = records.flatMap(({ after }) => after as { target: string }[]).map(({ target }) => target);
    expect(named).toEqual(names.map((check) => `*:${check}`));
    expect(records[0]).toMatchObject({
      action: 'bulk',
      target: `10000 operations, part 1 of ${String(records.length)}`,
      reason: 'CHG-1',
    });
  });

  test('a failed write of a bulk leaves none of its operations applied', async () => {
    await report('web-1', 'disk');
    rig.store.refuses = () => true;
    const answer = await bulk([
      { op: 'silence', check: 'disk' },
      { op: 'resolve', client: 'web-1', check: 'disk' },
    ]);
    expect(answer.status).toBe(503);
    rig.store.refuses = () => false;
    expect([await silencedIds(), await events(), await trail()]).toEqual([[], ['web-1/disk'], []]);
  });
});

describe('invalid operations and expectations', () => {
  test.each<[string, unknown, RegExp]>([
    ['an unknown operation', { op: 'reboot' }, /^operations\.1\.op: /],
    ['an object that is no operation', 'clear', /^operations\.1: /],
    [
      'a silence without a target',
      { op: 'silence' },
      /^operations\.1: at least one of subscription and check is required, or else a selector alone$/,
    ],
    ['an invalid name', { op: 'silence', check: 'a b' }, /^operations\.1\.check: must be word characters/],
    ['a negative expiry', { op: 'silence', check: 'a', expire: -2 }, /^operations\.1\.expire: /],
    [
      'a begin in milliseconds',
      { op: 'silence', check: 'a', begin: 1_800_000_000_000 },
      /^operations\.1: begin must be within/,
    ],
    ['a clear without an id', { op: 'clear' }, /^operations\.1\.id: /],
    ['a resolve without a check', { op: 'resolve', client: 'web-1' }, /^operations\.1\.check: /],
    ['a restore without a silence entry', { op: 'restore' }, /^operations\.1\.entry: /],
    [
      'a restore of an entry without a target',
      { op: 'restore', entry: anEntry({ check: null }) },
      /^operations\.1\.entry: at least one of/,
    ],
    [
      'an expiry in milliseconds',
      { op: 'restore', entry: anEntry({ expire_at: 1_795_184_718_000 }) },
      /^operations\.1\.entry\.expire_at: must be in seconds since 1970/,
    ],
  ])(
    'a bulk with %s is rejected with the index of the operation, and no operation is applied',
    async (_name, operation, problem) => {
      const answer = await bulk([{ op: 'silence', check: 'disk' }, operation]);
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(problem) } });
      expect(await silencedIds()).toEqual([]);
    },
  );

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['operations that are not an array', { operations: 'all' }],
    ['an empty list of operations', { operations: [] }],
    ['an unknown value of expect', { operations: [{ op: 'silence', check: 'disk' }], expect: 'some' }],
  ])('the body of a bulk is rejected: %s', async (_name, body) => {
    expect((await ask('POST', '/api/mon/v1/bulk', body)).status).toBe(400);
    expect(await silencedIds()).toEqual([]);
  });

  test('the response to a bulk with thousands of invalid operations names only the first ones', async () => {
    const answer = await bulk(Array.from({ length: 5000 }, () => ({ op: 'clear' })));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(1000);
  });

  test('a bulk with expect: all applies no operation when a target does not exist', async () => {
    const answer = await bulk(
      [
        { op: 'silence', check: 'disk' },
        { op: 'resolve', client: 'web-1', check: 'disk' },
      ],
      { expect: 'all' },
    );
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'operations.1: web-1/disk does not exist, so nothing was changed' },
    });
    expect([await silencedIds(), await trail()]).toEqual([[], []]);
  });

  test('a bulk with expect: all rejects two operations with the same target', async () => {
    await ask('POST', '/silenced', { check: 'disk' });
    const clear = { op: 'clear', id: '*:disk' };
    expect(await bulk([clear, clear], { expect: 'all' })).toMatchObject({
      status: 409,
      body: { error: 'operations.1: *:disk appears twice, so nothing was changed' },
    });
    expect(await silencedIds()).toEqual(['*:disk']);
    expect(await performBulk([clear], { expect: 'all' })).toMatchObject([{ ok: true }]);
  });
});

test('a bulk with expect: all is rejected when it clears a silence that its own resolve has ended', async () => {
  await report('web-1', 'disk');
  await ask('POST', '/silenced', { check: 'disk', expire_on_resolve: true });
  const resolve = { op: 'resolve', client: 'web-1', check: 'disk' };
  const clear = { op: 'clear', id: '*:disk' };
  expect(await bulk([resolve, clear], { expect: 'all' })).toMatchObject({ status: 409 });
  expect([await events(), await silencedIds()]).toEqual([['web-1/disk'], ['*:disk']]);
  expect(await performBulk([clear, resolve], { expect: 'all' })).toMatchObject([{ ok: true }, { ok: true }]);
});

describe('undo', () => {
  test('undoing the creation of a silence clears the silence', async () => {
    const results = await performBulk([
      { op: 'silence', check: 'disk' },
      { op: 'silence', subscription: 'web' },
    ]);
    expect(await silencedIds()).toEqual(['*:disk', 'web:*']);
    expect(await undo(results)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await silencedIds()).toEqual([]);
  });

  test('undoing the replacement of a silence restores the replaced silence with its remaining time', async () => {
    await ask('POST', '/silenced', {
      check: 'disk',
      expire: 600,
      reason: 'first',
      creator: 'ada',
      expire_on_resolve: true,
    });
    const [before] = await silenced();
    rig.clock.advance(100_000);
    const results = await performBulk([{ op: 'silence', check: 'disk', expire: 60, reason: 'second', creator: 'bob' }]);
    rig.clock.advance(30_000);
    await undo(results);
    expect(await silenced()).toEqual([{ ...before, expire: 470 }]);
  });

  test('undoing the clearing of a silence restores the silence, and this undo can be undone', async () => {
    await ask('POST', '/silenced', { subscription: 'web', check: 'disk', expire: 600, reason: 'CHG-1' });
    const before = await silenced();
    const restored = await undo(await performBulk([{ op: 'clear', id: 'web:disk' }]));
    expect(await silenced()).toEqual(before);
    await undo(restored);
    expect(await silencedIds()).toEqual([]);
  });

  test('undoing the clearing of a silence does nothing after the silence would have expired', async () => {
    await ask('POST', '/silenced', { check: 'disk', expire: 60 });
    const results = await performBulk([{ op: 'clear', id: '*:disk' }]);
    rig.clock.advance(60_000);
    expect(await undo(results)).toEqual([{ ok: false, error: 'expired' }]);
    expect(await silencedIds()).toEqual([]);
  });

  test('undoing two changes of the same silence restores them step by step', async () => {
    await ask('POST', '/silenced', { check: 'disk', reason: 'before' });
    const results = await performBulk([
      { op: 'silence', check: 'disk', reason: 'first' },
      { op: 'silence', check: 'disk', reason: 'second' },
    ]);
    await undo(results);
    expect(await silenced()).toMatchObject([{ reason: 'before' }]);
  });

  test.each<[string, BulkOperation]>([
    ['silence', { op: 'silence', check: 'disk' }],
    ['clear', { op: 'clear', id: '*:disk' }],
  ])('undoing a %s does not overwrite a later change that somebody else made', async (_name, operation) => {
    await ask('POST', '/silenced', { check: 'disk', reason: 'mine' });
    rig.clock.advance(1000);
    const results = await performBulk([operation]);
    rig.clock.advance(1000);
    await ask('POST', '/silenced', { check: 'disk', reason: 'of somebody else' });
    expect(await undo(results)).toEqual([{ ok: false, error: 'changed' }]);
    expect(await silenced()).toMatchObject([{ reason: 'of somebody else' }]);
  });
});

type Read = () => Promise<unknown>;

const detail = async (): Promise<unknown> => (await ask('GET', '/api/mon/v1/silenced/*:disk')).body;
const restored = (entry: unknown): Promise<BulkResponse['results']> => performBulk([{ op: 'restore', entry }]);
const rowOfFeed = async (): Promise<unknown> => {
  const peer = await FeedPeer.subscribe(rig.url, { topics: ['silenced'] });
  await vi.waitFor(() => {
    // The feed sends frames only when the clock advances.
    rig.clock.advance(10);
    expect(peer.all('snapshot')).toHaveLength(1);
  });
  peer.socket.terminate();
  return peer.replica.silenced.get('*:disk');
};

describe('the exact expiry of a restored silence', () => {
  test.each<[string, Read]>([
    ['GET /api/mon/v1/silenced', detail],
    ['the audit trail', async () => (await trail())[0]?.after],
    ['the feed', rowOfFeed],
  ])('a silence restored from %s expires at the same time as the original', async (_name, read) => {
    rig.clock.advance(123);
    await ask('POST', '/silenced', { check: 'disk', expire: 60, reason: 'CHG-1', creator: 'ada' });
    const endMs = rig.clock.now() + 60_000;
    const entry = await read();
    const before = await detail();
    expect(before).toMatchObject({ expire_at: endMs / 1000 });
    await ask('POST', '/silenced/clear', { check: 'disk' });
    expect(await restored(entry)).toMatchObject([{ ok: true }]);
    expect(await detail()).toEqual(before);
    rig.clock.advance(endMs - 1 - rig.clock.now());
    expect(await silencedIds()).toEqual(['*:disk']);
    rig.clock.advance(1);
    expect(await silencedIds()).toEqual([]);
  });

  test('undoing the clearing of a silence restores its exact expiry', async () => {
    rig.clock.advance(123);
    await ask('POST', '/silenced', { check: 'disk', expire: 60 });
    const before = await detail();
    const results = await performBulk([{ op: 'clear', id: '*:disk' }]);
    expect(results).toMatchObject([{ undo: { entry: { expire_at: (rig.clock.now() + 60_000) / 1000 } } }]);
    await undo(results);
    expect(await detail()).toEqual(before);
  });

  test('undoing the clearing of a silence restores its labels and annotations of the v2 API', async () => {
    const path = '/api/core/v2/namespaces/default/silenced';
    const made = await ask('POST', path, {
      metadata: {
        name: '*:disk:root',
        namespace: 'default',
        labels: { team: 'web' },
        annotations: { ticket: 'CHG-1' },
      },
      subscription: '*',
      check: 'disk:root',
      expire: 30,
      expire_at: Math.floor(rig.clock.now() / 1000) + 60,
    });
    expect(made).toMatchObject({ status: 201 });
    const read = async (): Promise<unknown> => (await ask('GET', `${path}/*:disk:root`)).body;
    const before = await read();
    expect(before).toMatchObject({ subscription: '*', expire: 30, metadata: { labels: { team: 'web' } } });
    await undo(await performBulk([{ op: 'clear', id: '*:disk:root' }]));
    expect(await read()).toEqual(before);
  });

  test.each([
    ['labels', { team: 1 }],
    ['annotations', [] as unknown],
    ['lifetime', -1],
    ['lifetime', 'long'],
    ['asterisks', ['namespace']],
  ])('a restore of a silence with invalid %s is rejected: %j', async (name, value) => {
    expect(await bulk([{ op: 'restore', entry: { ...anEntry({}), [name]: value } }])).toMatchObject({ status: 400 });
  });
});

describe('bulks with random content', () => {
  const check = fc.constantFrom('disk', 'swap', 'load');
  const id = check.map((name) => `*:${name}`);
  const operations = fc.array(
    fc.oneof(
      fc.record({ op: fc.constant('silence'), check, expire: fc.constantFrom(-1, 60, 600), reason: fc.string() }),
      fc.record({ op: fc.constant('clear'), id }),
      fc.record({ op: fc.constant('resolve'), client: fc.constant('web-1'), check }),
    ),
    { minLength: 1, maxLength: 8 },
  );

  test('an undo restores exactly the silences that existed before the bulk', async () => {
    await fc.assert(
      fc.asyncProperty(operations, operations, async (first, second) => {
        await bulk(first);
        rig.clock.advance(1000);
        const before = await silenced();
        const results = await performBulk(second);
        const undone = results.some((result) => result.undo !== undefined) ? await undo(results) : [];
        expect(undone.every(({ ok }) => ok)).toBe(true);
        expect(await silenced()).toEqual(before);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('a bulk with expect: all applies all of its operations or none', async () => {
    await fc.assert(
      fc.asyncProperty(operations, operations, async (first, second) => {
        await bulk(first);
        await report('web-1', 'disk');
        const before = [await silenced(), await events()];
        const { status, body } = await bulk(second, { expect: 'all' });
        const after = [await silenced(), await events()];
        const isAll = status === 200 && (body as BulkResponse).results.every(({ ok }) => ok);
        const isNothing = status === 409 && JSON.stringify(after) === JSON.stringify(before);
        expect(isAll || isNothing).toBe(true);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('a bulk with random content is applied or rejected, but never fails with an internal error', async () => {
    const names = ['op', 'id', 'client', 'check', 'entry', 'if_timestamp', 'expire', 'begin', 'subscription'];
    const value = fc.oneof(
      fc.constantFrom('silence', 'clear', 'resolve', 'restore', 'disk', 0, -1, 1e300),
      fc.jsonValue(),
    );
    const strange = fc.array(fc.dictionary(fc.constantFrom(...names), value), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(strange, async (sent) => {
        expect([200, 400]).toContain((await bulk(sent)).status);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe('the audit trail', () => {
  test('the audit trail records a bulk as one action that contains all operations', async () => {
    await report('web-1', 'disk');
    await performBulk(
      [
        { op: 'silence', check: 'disk', reason: 'CHG-1' },
        { op: 'resolve', client: 'web-1', check: 'disk' },
        { op: 'resolve', client: 'web-2', check: 'disk' },
      ],
      { creator: 'ada' },
    );
    expect(await trail()).toMatchObject([
      {
        who: 'ada',
        how: 'POST /api/mon/v1/bulk',
        action: 'bulk',
        target: '2 operations',
        before: null,
        after: [
          { action: 'silence.create', target: '*:disk', after: { reason: 'CHG-1' } },
          { action: 'event.resolve', target: 'web-1/disk', before: { status: 2 } },
        ],
        reason: null,
      },
    ]);
  });

  test('the audit trail records a bulk of one operation as that operation, and an undo as an undo', async () => {
    const results = await performBulk([{ op: 'silence', check: 'disk', reason: 'CHG-1', creator: 'ada' }]);
    await undo(results);
    expect(await trail()).toMatchObject([
      { action: 'undo', target: '1 operation', after: [{ action: 'silence.clear', target: '*:disk' }] },
      { who: 'ada', action: 'silence.create', target: '*:disk', after: { reason: 'CHG-1' }, reason: 'CHG-1' },
    ]);
  });

  test('a bulk that changes nothing is not recorded in the audit trail', async () => {
    await performBulk([{ op: 'clear', id: '*:disk' }]);
    expect(await trail()).toEqual([]);
  });
});

describe('the silence policy', () => {
  test('the default silence policy requires a reason from consoles but not from the v1 API', async () => {
    await restartWith({});
    expect((await ask('GET', '/api/mon/v1/silence-policy')).body).toEqual({
      reason: 'required',
      reason_pattern: null,
      max_expire: null,
      warn_matches: 50,
      apply_to_v1: false,
    });
    expect(
      await bulk([
        { op: 'clear', id: 'none' },
        { op: 'silence', check: 'disk' },
      ]),
    ).toMatchObject({
      status: 400,
      body: { error: 'operations.1: a reason is required' },
    });
    expect((await ask('POST', '/silenced', { check: 'disk' })).status).toBe(201);
  });

  test('the configured silence policy is shown and enforced', async () => {
    await restartWith({ 'reason-pattern': 'CHG-*', 'max-expire': 3600 });
    expect((await ask('GET', '/api/mon/v1/silence-policy')).body).toMatchObject({
      reason_pattern: 'CHG-*',
      max_expire: 3600,
    });
    const refused = await bulk([{ op: 'silence', check: 'disk', reason: 'CHG-1' }]);
    expect(refused.body).toEqual({ error: 'operations.0: it must end within 1h', code: 'threshold' });
    await performBulk([{ op: 'silence', check: 'disk', reason: 'CHG-1', expire: 3600 }]);
  });

  test('the silence policy does not prevent an undo from restoring a silence of a script', async () => {
    await restartWith({ 'max-expire': 3600 });
    await ask('POST', '/silenced', { check: 'disk' });
    await undo(await performBulk([{ op: 'clear', id: '*:disk' }]));
    expect(await silencedIds()).toEqual(['*:disk']);
  });

  test('the silence policy with apply-to-legacy applies to every API', async () => {
    await restartWith({ 'apply-to-v1': true, 'max-expire': 3600 });
    expect(await ask('POST', '/silenced', { check: 'disk' })).toMatchObject({
      status: 400,
      body: { error: 'a reason is required' },
    });
    expect((await ask('POST', '/silenced', { check: 'disk', reason: 'CHG-1', expire: 60 })).status).toBe(201);
    const entry = anEntry({ reason: 'CHG-1', expire_at: rig.clock.now() / 1000 + 3600.001 });
    expect((await bulk([{ op: 'restore', entry }])).body).toEqual({
      error: 'operations.0: it must end within 1h',
      code: 'threshold',
    });
    await performBulk([{ op: 'restore', entry: { ...entry, expire_at: rig.clock.now() / 1000 + 3600 } }]);
  });

  test('an unknown rule in silence-policy is a configuration error', async () => {
    await expect(
      loadConfig({ directories: [], env: {}, flags: { 'silence-policy': { 'max-expires': 1 } } }),
    ).rejects.toThrow(/silence-policy/);
  });
});

function anEntry(
  about: Partial<Extract<BulkOperation, { op: 'restore' }>['entry']> = {},
): Extract<BulkOperation, { op: 'restore' }>['entry'] {
  return {
    subscription: null,
    check: 'disk',
    reason: null,
    creator: null,
    begin: null,
    expire_at: null,
    expire_on_resolve: false,
    timestamp: 1_700_000_000,
    ...about,
  };
}
