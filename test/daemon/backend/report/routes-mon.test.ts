import { beforeEach, describe, expect, test } from 'vitest';
import { readReport } from '../../../../daemon/backend/report/queries.ts';
import { Namespace } from '../../../../daemon/backend/model/registry/namespace.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { inhibitionSchema } from '../../../../shared/schemas/inhibition.ts';
import type { Report } from '../../../../shared/schemas/report.ts';
import { asking, basic, type Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend } from '../../../support/running-backend.ts';

const MON = '/api/mon/v1';
const MINUTE = 60_000;
const START = ManualClock.START_MS;

let rig: BackendRig;
let ask: Ask;

const HANDLERS = new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'cat > /dev/null' })]]);

/** While the check `uplink` has an event, events of the check `ping` are inhibited. */
const INHIBITIONS = new Map([
  ['behind-switch', inhibitionSchema.parse({ source: 'check=uplink', target: 'check=ping' })],
]);

beforeEach(async () => {
  rig = await BackendRig.open({ handlers: HANDLERS, inhibitions: INHIBITIONS });
  ask = rig.administer;
});

/** Advances the clock by a minute, and reports one result. */
async function result(check: string, status: number, source = 'web-1'): Promise<void> {
  rig.clock.advance(MINUTE);
  const body = { name: check, output: `${check} says ${String(status)}`, status, source };
  expect((await ask('POST', '/results', body)).status).toBe(202);
}

const report = async (query = ''): Promise<Report> => (await ask('GET', `${MON}/report${query}`)).body as Report;

describe('GET /api/mon/v1/report (spec, report)', () => {
  test('the report counts the open problems of each check, with the oldest start and the output of the worst', async () => {
    await result('disk', 0, 'web-2');
    await result('http', 1, 'web-1');
    await result('http', 2, 'web-2');
    await result('http', 2, 'web-3');
    await result('disk', 2, 'web-1');
    const { open_by_check: byCheck } = await report();
    expect(byCheck).toEqual([
      { check: 'http', count: 3, client: 'web-2', status: 2, began: START + 2 * MINUTE, output: 'http says 2' },
      { check: 'disk', count: 1, client: 'web-1', status: 2, began: START + 5 * MINUTE, output: 'disk says 2' },
    ]);
  });

  test('the report counts the open problems in each period, at the moment with the most problems', async () => {
    await result('disk', 0);
    await result('http', 2, 'web-2');
    await result('disk', 1);
    rig.clock.advance(1000);
    await ask('DELETE', `${MON}/results/web-2/http`);
    await ask('POST', '/resolve', { client: 'web-2', check: 'http' });
    rig.clock.advance(MINUTE - 1000);
    const { open_over_time: overTime } = await report(`?since=${String(START)}`);
    expect(overTime).toEqual({
      period: 60,
      critical: [null, 0, 1, 1],
      warning: [null, 0, 0, 1],
      unknown: [null, 0, 0, 0],
    });
  });

  test('the report has the current output of an open event, and that of the last change for a time in the past', async () => {
    await result('disk', 2);
    rig.clock.advance(MINUTE);
    const body = { name: 'disk', output: 'disk is even fuller', status: 2, source: 'web-1' };
    await ask('POST', '/results', body);
    expect((await report()).open.checks[0]?.output).toBe('disk is even fuller');
    rig.clock.advance(MINUTE);
    const past = await report(`?until=${String(START + 2.5 * MINUTE)}`);
    expect(past.open.checks[0]?.output).toBe('disk says 2');
  });

  test('the report lists open events with their duration and their silences', async () => {
    await result('disk', 0);
    await result('disk', 1);
    await result('disk', 2);
    rig.clock.advance(MINUTE);
    await ask('POST', '/silenced', {
      subscription: 'client:web-1',
      check: 'disk',
      expire_on_resolve: true,
      creator: 'ada',
      reason: 'acknowledged',
    });
    rig.clock.advance(2 * MINUTE);
    const { open, resolved, total, actions } = await report();
    expect(open).toEqual({
      count: 1,
      checks: [
        {
          client: 'web-1',
          check: 'disk',
          status: 2,
          worst: 2,
          began: START + 2 * MINUTE,
          ended: null,
          outages: 1,
          down: 240,
          silenced: 120,
          output: 'disk says 2',
          silences: [{ id: 'client:web-1:disk', acknowledged: true, who: 'ada', reason: 'acknowledged' }],
        },
      ],
    });
    expect([resolved.count, total]).toEqual([0, { checks: 1, clients: 1, outages: 1, down: 240 }]);
    expect(actions.actions).toEqual([
      {
        at: START + 4 * MINUTE,
        who: 'ada',
        action: 'acknowledged',
        targets: ['web-1/disk'],
        count: 1,
        reason: 'acknowledged',
      },
    ]);
  });

  test('the report names the owner of an acknowledged event, and lists the acknowledgement as an action', async () => {
    await result('disk', 2);
    const until = START + 60 * MINUTE;
    await ask('POST', `${MON}/acknowledgements`, {
      client: 'web-1',
      check: 'disk',
      owner: 'ada',
      note: 'deleting logs',
      expires_at: until / 1000,
    });
    const { open, actions } = await report();
    expect(open.checks.map(({ silences }) => silences)).toEqual([
      [{ id: 'acknowledgement', acknowledged: true, who: 'ada', reason: 'deleting logs', end: until }],
    ]);
    expect(actions.actions).toMatchObject([
      { who: 'ada', action: 'acknowledged', targets: ['web-1/disk'], reason: 'deleting logs', end: until },
    ]);
    await result('disk', 0);
    expect((await report()).resolved.checks.map(({ silences }) => silences)).toEqual([[]]);
  });

  test('the report lists resolved events by duration, and the noisiest checks', async () => {
    await result('disk', 2);
    await result('load', 2);
    await result('load', 0);
    await result('load', 2, 'web-2');
    await result('disk', 0);
    await result('load', 0, 'web-2');
    const { resolved, noisiest } = await report();
    expect(resolved.checks.map(({ client, check, down }) => [client, check, down])).toEqual([
      ['web-1', 'disk', 240],
      ['web-2', 'load', 120],
      ['web-1', 'load', 60],
    ]);
    expect(noisiest).toMatchObject([
      { check: 'load', outages: 2, clients: 2 },
      { check: 'disk', outages: 1, clients: 1 },
    ]);
    expect((await report('?limit=1')).resolved).toMatchObject({ count: 3, checks: [{ check: 'disk' }] });
  });

  test('the report lists inhibited events last with their source, until they fail without an inhibition', async () => {
    const cause = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
    await result('uplink', 2, 'sw-1');
    for (const host of ['a', 'b', 'c']) await result('ping', 2, host);
    const during = await report();
    expect(during.open.checks.map(({ client, inhibited_by: by }) => [client, by])).toEqual([
      ['sw-1', undefined],
      ['a', cause],
      ['b', cause],
      ['c', cause],
    ]);
    expect(during.inhibited).toEqual({ checks: 3, count: 1, causes: [{ ...cause, checks: 3, clients: 3, open: 3 }] });

    await result('uplink', 0, 'sw-1');
    await result('ping', 0, 'a');
    await result('ping', 2, 'b');
    await result('ping', 0, 'b');
    await result('ping', 2, 'c');
    const after = await report();
    expect(after.open.checks.map(({ client, inhibited_by: by }) => [client, by])).toEqual([['c', undefined]]);
    expect(after.resolved.checks.map(({ client, inhibited_by: by }) => [client, by])).toEqual([
      ['b', undefined],
      ['sw-1', undefined],
      ['a', cause],
    ]);
    expect(after.inhibited).toEqual({ checks: 1, count: 1, causes: [{ ...cause, checks: 1, clients: 1, open: 0 }] });
  });

  test('the report shows when an event opened, even if that was before the period of the report', async () => {
    await result('disk', 0);
    await result('disk', 2);
    rig.clock.advance(60 * MINUTE);
    await result('load', 0);
    const since = String(rig.clock.now() - 5 * MINUTE);
    expect((await report(`?since=${since}`)).open.checks).toMatchObject([
      { check: 'disk', began: START + 2 * MINUTE, down: 300, output: 'disk says 2' },
    ]);
  });

  test('a report whose end is in the past shows the state at that end', async () => {
    await result('disk', 2);
    await ask('POST', '/silenced', { check: 'disk', creator: 'ada', expire: 90 });
    rig.clock.advance(MINUTE);
    const until = String(rig.clock.now());
    await result('disk', 0);
    await result('load', 2);
    const { open, resolved } = await report(`?until=${until}`);
    expect(open.checks).toMatchObject([{ check: 'disk', status: 2, silences: [{ id: '*:disk', who: 'ada' }] }]);
    expect(resolved.count).toBe(0);
  });

  test('the report lists silences, resolves and deletions with the user, and other changes of the audit trail', async () => {
    await result('disk', 2);
    await result('disk', 2, 'web-2');
    await ask('POST', '/silenced', { check: 'disk', creator: 'ada', reason: 'CHG-1' });
    await ask('POST', '/silenced/clear', { check: 'disk' });
    await ask('DELETE', '/events/web-1/disk');
    await ask('DELETE', '/events/web-2/disk');
    await ask('DELETE', '/clients/web-1');
    await ask('POST', '/api/core/v2/namespaces', { name: 'shop' });
    const { actions, changes } = await report();
    expect(actions.actions.map(({ who, action, targets }) => [who, action, ...targets].join(' '))).toEqual([
      'local administrator deleted web-1/disk',
      'local administrator resolved web-1/disk web-2/disk',
      'local administrator ended check:disk',
      'ada silenced check:disk',
    ]);
    expect(changes).toMatchObject({
      count: 1,
      changes: [{ who: 'local administrator', action: 'namespace.create', target: 'shop' }],
    });
  });

  test('the report contains the time since which data is retained', async () => {
    await result('disk', 2);
    const { since, complete_since: complete, truncated: isTruncated } = await report();
    expect([complete, isTruncated]).toEqual([START + MINUTE, false]);
    expect(since).toBe(rig.clock.now() - 12 * 60 * MINUTE);
  });

  test('a report that is truncated because of its size contains the time since which it is complete', async () => {
    for (const status of [2, 0, 1, 0]) await result('disk', status);
    const span = { sinceMs: START, untilMs: rig.clock.now() };
    for (let at = 0; at < 100; at++) await result('load', (at % 2) + 1);
    const wanted = {
      requested: {
        namespaces: [new Namespace('default')],
        withNamespaceName: <Item>(item: Item): Item => item,
        isOfMany: false,
      },
      span: { ...span, untilMs: rig.clock.now() },
      retention: { sinceMs: START, perCheck: 10_000 },
      limit: 10,
    };
    const cut = await readReport(rig.store, { ...wanted, transitionsMax: 100 });
    expect([cut.truncated, cut.complete_since, cut.total.checks]).toEqual([true, START + 5 * MINUTE + 1, 1]);
    const whole = await readReport(rig.store, wanted);
    expect([whole.truncated, whole.complete_since, whole.total.checks]).toEqual([false, START, 2]);
  });

  test('a report whose end is before its start is rejected', async () => {
    const answer = await ask('GET', `${MON}/report?since=5&until=4`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('since must be before until')]);
  });
});

test('each namespace has its own report, which for a user limited to one namespace has no audit trail', async () => {
  await using running = await startBackend({ settings: { api: { user: 'root', password: 'long enough' } } });
  const asRoot = asking(running.url, basic('root', 'long enough'));
  for (const name of ['team-a', 'team-b']) {
    await asRoot('POST', '/api/core/v2/namespaces', { name });
    await asRoot('POST', `${MON}/results?namespace=${name}`, [{ source: name, name: 'disk', output: 'a', status: 2 }]);
  }
  const { body } = await asRoot('POST', '/api/core/v2/apikeys', { username: 'root', namespace: 'team-a' });
  const asTeam = asking(running.url, `Key ${(body as { readonly key: string }).key}`);
  const seen = async (asWho: typeof asRoot, query: string): Promise<unknown> => {
    const answer = await asWho('GET', `${MON}/report${query}`);
    if (answer.status !== 200) return answer.status;
    const { open, noisiest, changes } = answer.body as Report;
    return [
      open.checks.map(({ namespace, client }) => [namespace, client]),
      noisiest.map(({ namespace, check }) => [namespace, check]),
      changes !== null,
    ];
  };
  expect(await seen(asRoot, '?namespace=team-b')).toEqual([[[undefined, 'team-b']], [[undefined, 'disk']], true]);
  expect(await seen(asRoot, '?namespace=*')).toEqual([
    [
      ['team-a', 'team-a'],
      ['team-b', 'team-b'],
    ],
    [
      ['team-a', 'disk'],
      ['team-b', 'disk'],
    ],
    true,
  ]);
  expect(await seen(asTeam, '?namespace=*')).toEqual([[['team-a', 'team-a']], [['team-a', 'disk']], false]);
  expect(await seen(asTeam, '?namespace=team-b')).toBe(403);
});
