import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { administratorOf } from '../../../support/administrator.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { followAuditChain } from '../../../../shared/domain/audit.ts';
import type { AuditHead, AuditRecord } from '../../../../shared/schemas/audit.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Answer } from '../../../support/raw-http.ts';

const AUDIT = '/api/mon/v1/audit';
const LIMIT = 100;

let rig: BackendRig;

const SECTIONS: Parameters<BackendRig['start']>[0] = {
  program: { 'audit-limit': LIMIT },
  checks: new Map([['disk', { command: 'df', interval: 60, subscribers: ['base'] }]]),
};
beforeEach(async () => {
  rig = await BackendRig.open(SECTIONS);
});

const ask: Ask = (...request) => rig.ask(...request);
const report = (check: string, status: number, source = 'web-1', more = {}): Promise<Answer> =>
  ask('POST', '/results', { name: check, output: `${check} says ${String(status)}`, status, source, ...more });
const trail = async (query = ''): Promise<AuditRecord[]> =>
  (await ask('GET', `${AUDIT}${query}`)).body as AuditRecord[];
const head = async (): Promise<AuditHead> => (await ask('GET', `${AUDIT}/head`)).body as AuditHead;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns the first problem of the audit chain, from the newest record to the oldest, or `undefined`. */
async function problemOfChain(): Promise<string | undefined> {
  const { first, last, hash } = await head();
  let expected = { id: last, hash };
  for (const record of await trail()) {
    const next = followAuditChain(expected, record, sha256);
    if ('problem' in next) return next.problem;
    expected = next;
  }
  return expected.id === first - 1 ? undefined : 'the trail is too short';
}

describe('audit records of what operators do (security S22)', () => {
  test('creating, replacing and clearing a silence is recorded with the old and the new values', async () => {
    await ask('POST', '/silenced', { check: 'disk', reason: 'CHG-1', creator: 'ada' });
    await ask('POST', '/silenced', { check: 'disk', reason: 'CHG-2', creator: 'bob', expire: 60 });
    await ask('POST', '/silenced/clear', { check: 'disk' });
    const first = { id: '*:disk', check: 'disk', subscription: null, reason: 'CHG-1', creator: 'ada', expire_at: null };
    const second = { ...first, reason: 'CHG-2', creator: 'bob', expire_at: rig.clock.now() / 1000 + 60 };
    expect(await trail()).toMatchObject([
      {
        id: 3,
        at: rig.clock.now(),
        who: 'anonymous',
        from: '127.0.0.1',
        how: 'POST /silenced/clear',
        action: 'silence.clear',
        target: '*:disk',
        before: second,
        after: null,
        reason: null,
      },
      {
        id: 2,
        who: 'bob',
        how: 'POST /silenced',
        action: 'silence.replace',
        before: first,
        after: second,
        reason: 'CHG-2',
      },
      {
        id: 1,
        who: 'ada',
        how: 'POST /silenced',
        action: 'silence.create',
        before: null,
        after: first,
        reason: 'CHG-1',
      },
    ]);
  });

  test('resolving an event, deleting objects and renaming a check are recorded in the audit trail', async () => {
    await report('disk', 2);
    await report('swap', 1, 'web-1', { aggregate: 'web' });
    await ask('POST', '/stashes', { path: 'a/b', content: { password: 'hunter2' } });
    await ask('POST', '/resolve', { client: 'web-1', check: 'disk' });
    await report('disk', 2);
    await ask('DELETE', '/events/web-1/disk?why=no');
    await ask('DELETE', '/results/web-1/disk');
    await ask('DELETE', '/aggregates/web');
    await ask('DELETE', '/stashes/a/b');
    await ask('POST', '/api/mon/v1/checks/swap/rename', { to: 'paging' }, administratorOf(rig.url));
    await ask('DELETE', '/checks/paging');
    await report('load', 1);
    await ask('DELETE', '/clients/web-1');
    expect((await trail()).toReversed()).toMatchObject([
      {
        action: 'event.resolve',
        target: 'web-1/disk',
        before: { status: 2, action: 'create', occurrences: 1, output: 'disk says 2' },
      },
      { action: 'event.delete', how: 'DELETE /events/web-1/disk', target: 'web-1/disk', before: { occurrences: 1 } },
      { action: 'result.delete', target: 'web-1/disk', before: { status: 0 } },
      { action: 'aggregate.delete', target: 'web', before: { clients: 1, checks: 1, results: 1 } },
      { action: 'stash.delete', target: 'a/b', before: { expire_at: null } },
      { action: 'check.rename', target: 'swap', after: { name: 'paging', clients: ['web-1'] } },
      { action: 'check.delete', target: 'paging', before: [{ client: 'web-1', status: 1, event: expect.any(String) }] },
      { action: 'client.delete', target: 'web-1', before: { name: 'web-1', address: 'unknown', events: 1 } },
    ]);
  });

  test('requested check runs are recorded in the audit trail', async () => {
    await ask('POST', '/request', { check: 'disk', subscribers: ['web'], reason: 'is it full?', creator: 'ada' });
    expect(await trail()).toMatchObject([
      { who: 'ada', action: 'check.request', target: 'disk', after: { subscribers: ['web'] }, reason: 'is it full?' },
    ]);
  });

  test('rejected requests and requests without effect are not recorded in the audit trail', async () => {
    await ask('POST', '/request', { check: 'unknown' });
    await ask('POST', '/resolve', { client: 'web-1', check: 'disk' });
    await ask('POST', '/silenced', { check: 'no name' });
    await ask('DELETE', '/silenced/ids/none');
    await ask('DELETE', '/checks/unknown');
    expect(await trail()).toEqual([]);
    expect(await head()).toMatchObject({ first: 1, last: 0 });
  });

  test('results, keepalives and reads are not recorded in the audit trail', async () => {
    await report('disk', 2);
    await report('disk', 0);
    await ask('GET', '/events');
    expect(await trail()).toEqual([]);
  });

  test('the expiry of a silence is recorded in the audit trail as an action of the backend', async () => {
    await ask('POST', '/silenced', { check: 'disk', expire: 60 });
    await ask('POST', '/silenced', { check: 'swap', expire_on_resolve: true });
    await report('swap', 1);
    await report('swap', 0);
    // The commit of this result schedules the expiry of the silence.
    await report('load', 0);
    rig.clock.advance(60_000);
    await report('load', 0);
    expect((await trail()).slice(0, 2)).toMatchObject([
      { who: 'mon', from: null, how: 'clock', action: 'silence.expire', target: '*:disk', after: null },
      { who: 'mon', from: null, how: 'expire_on_resolve', action: 'silence.expire', target: '*:swap', after: null },
    ]);
  });

  test('the audit trail contains no secrets', async () => {
    await ask('POST', '/clients', {
      name: 'web-2',
      address: 'a',
      password: 'hunter2',
      signature: 'hunter2',
      door_code: 'hunter2',
      redact: ['door_code', 'password'],
    });
    await ask('DELETE', '/clients/web-2');
    const answer = await ask('GET', AUDIT);
    expect(answer.body).toMatchObject([{ before: { name: 'web-2', password: 'REDACTED', door_code: 'REDACTED' } }]);
    expect(answer.text).not.toContain('hunter2');
  });

  test('an audit record names the authenticated user and the creator that the request names', async () => {
    await rig.stop();
    await rig.start({ ...SECTIONS, api: { user: 'ops', password: 'secret' } });
    const authorization = `Basic ${Buffer.from('ops:secret').toString('base64')}`;
    await ask('POST', '/silenced', { check: 'disk', creator: 'ada' }, { authorization });
    expect((await ask('GET', AUDIT, undefined, { authorization })).body).toMatchObject([
      { who: 'ops', on_behalf_of: 'ada', after: { creator: 'ada' } },
    ]);
    await ask('POST', '/silenced', { check: 'disk', creator: 'ops' }, { authorization });
    await ask('POST', '/silenced', { check: 'disk' }, { authorization });
    const records = (await ask('GET', `${AUDIT}?limit=2`, undefined, { authorization })).body;
    expect(records).toMatchObject([
      { who: 'ops', after: { creator: 'ops' } },
      { who: 'ops', after: { creator: 'ops' } },
    ]);
    expect(JSON.stringify(records)).not.toContain('on_behalf_of');
  });
});

describe('the commit of an audit record', () => {
  test('a failed write stores neither change nor audit record, and the chain of records stays valid', async () => {
    await ask('POST', '/silenced', { check: 'disk' });
    rig.store.refuses = () => true;
    expect((await ask('POST', '/silenced', { check: 'swap' })).status).toBe(503);
    rig.store.refuses = () => false;
    await ask('POST', '/silenced', { check: 'load' });
    expect(await trail()).toMatchObject([
      { id: 2, target: '*:load' },
      { id: 1, target: '*:disk' },
    ]);
    expect((await ask('GET', '/silenced')).body).toMatchObject([{ id: '*:disk' }, { id: '*:load' }]);
    expect(await problemOfChain()).toBeUndefined();
  });

  test('the audit record of a change is in the same write as the change', async () => {
    const written: string[][] = [];
    rig.store.refuses = (ops) => {
      // Any write may also contain the newest time, and a change of a silence also writes to the timeline.
      const tables = ops.map(({ key }) => String(key[0]));
      written.push(tables.filter((table) => table !== 'time' && !table.startsWith('timeline')));
      return false;
    };
    await ask('POST', '/silenced', { check: 'disk' });
    expect(written).toEqual([['silenced', 'audit', 'audit-head']]);
  });

  test('the chain of audit records continues after a restart', async () => {
    await ask('POST', '/silenced', { check: 'disk' });
    await rig.stop();
    await rig.start(SECTIONS);
    await ask('POST', '/silenced', { check: 'swap' });
    expect((await trail()).map(({ id }) => id)).toEqual([2, 1]);
    expect(await problemOfChain()).toBeUndefined();
  });
});

describe('the limit of the audit trail', () => {
  test('the oldest audit records are removed, and the remaining records still form a chain', async () => {
    for (let count = 0; count < LIMIT + 3; count++) await ask('POST', '/silenced', { check: `check-${String(count)}` });
    expect(await head()).toMatchObject({ first: 4, last: LIMIT + 3 });
    const records = await trail();
    expect(records).toHaveLength(LIMIT);
    expect(records.at(-1)).toMatchObject({ id: 4, target: '*:check-3' });
    expect(await problemOfChain()).toBeUndefined();
  });

  test('an audit record that was changed in the store is detected', async () => {
    await ask('POST', '/silenced', { check: 'disk' });
    await ask('POST', '/silenced', { check: 'swap' });
    await rig.stop();
    const opened = await openLevelStore(rig.dir);
    const lease = await opened.acquire('main', 30_000);
    const [text = ''] = await opened.getMany([['audit', 1]]);
    await opened.write(lease, [{ type: 'put', key: ['audit', 1], value: text.replace('anonymous', 'somebody') }], []);
    await opened.close();
    await rig.start(SECTIONS);
    expect(await problemOfChain()).toBe('audit record 1 was changed after it was written');
  });
});

describe('GET /api/mon/v1/audit', () => {
  beforeEach(async () => {
    for (const check of ['a', 'b', 'c', 'd']) {
      await ask('POST', '/silenced', { check, creator: check < 'c' ? 'ada' : 'bob' });
      rig.clock.advance(1000);
    }
  });

  test.each([
    ['', [4, 3, 2, 1]],
    ['?limit=2', [4, 3]],
    ['?limit=2&offset=1', [3, 2]],
    ['?after=2', [4, 3]],
    ['?before=3', [2, 1]],
    ['?after=1&before=4', [3, 2]],
    ['?after=99', []],
    [`?since=${String(ManualClock.START_MS + 1001)}`, [4, 3]],
    [`?since=${String(ManualClock.START_MS + 2000)}`, [4, 3]],
    [`?since=${String(ManualClock.START_MS + 9000)}`, []],
    ['?filter.who=ada', [2, 1]],
    ['?filter.who=bob&filter.target=*:c', [3]],
    ['?filter.after.check=b', [2]],
  ])('GET /api/mon/v1/audit%s returns the matching audit records', async (query, expected) => {
    expect((await trail(query)).map(({ id }) => id)).toEqual(expected);
  });

  test('the audit trail is paginated, and X-Pagination contains the total', async () => {
    const answer = await ask('GET', `${AUDIT}?limit=1`);
    expect(answer.headers['x-pagination']).toBe('{"limit":1,"offset":0,"total":4}');
  });

  test('the audit trail returns at most a thousand records at once', async () => {
    const answer = await ask('GET', `${AUDIT}?limit=5000`);
    expect(answer.headers['x-pagination']).toBe('{"limit":1000,"offset":0,"total":4}');
  });

  test('the path of the audit trail accepts no method but GET', async () => {
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH']) {
      expect((await ask(method, AUDIT, {})).status).toBe(405);
    }
  });
});
