import { beforeEach, describe, expect, test } from 'vitest';
import { datedCheckRecord } from '../../../../daemon/backend/model/events/check-record.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import type { TimelinePage } from '../../../../shared/schemas/timeline.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';

const MON = '/api/mon/v1';
const MINUTE = 60_000;

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

const ask: Ask = (...request) => rig.administer(...request);

/** Advances the clock by a minute, and reports one result. */
async function report(status: number, more = {}): Promise<void> {
  rig.clock.advance(MINUTE);
  const result = { name: 'disk', source: 'web-1', output: `says ${String(status)}`, status, resolve_after: 3, ...more };
  expect((await ask('POST', '/results', result)).status).toBe(202);
}
const rows = async (query = ''): Promise<readonly EventRow[]> =>
  (await ask('GET', `${MON}/events${query}`)).body as EventRow[];
const dumped = async (type: string): Promise<readonly unknown[]> =>
  ((await ask('GET', `${MON}/dump/${type}`)).body as { objects: unknown[] }).objects;
const recoveryOfRow = async (): Promise<EventRow['recovering']> => (await rows())[0]?.recovering;
const seconds = (): number => rig.clock.now() / 1000;

describe('late resolution with resolve_after (spec, recovery)', () => {
  test('an event that recovers is unchanged in the v1 API, and only the mon API shows its recovery', async () => {
    await report(2);
    const [before] = (await ask('GET', '/events')).body as object[];
    await report(0);
    const since = seconds();
    await report(0);
    const recovering = { results: 2, since, last: seconds(), after: 3 };
    expect((await ask('GET', '/events')).body).toEqual([before]);
    expect((await ask('GET', '/events/web-1/disk')).body).toEqual(before);
    expect((await ask('GET', `${MON}/events/web-1/disk`)).body).toEqual({ ...before, recovering });
    expect((await ask('GET', `${MON}/events?full`)).body).toEqual([{ ...before, recovering }]);
    expect(await ask('GET', `${MON}/events?whole`)).toMatchObject({
      status: 400,
      body: { code: 'invalid', error: 'unknown parameter whole: use full' },
    });
    expect(await rows('?q=recovering')).toMatchObject([{ status: 2, output: 'says 2', recovering }]);
    expect(await rows('?q=!recovering')).toEqual([]);
    await report(0);
    expect(await rows()).toEqual([]);
  });

  test('the count of OK results for resolve_after survives a restart and a rename of the check', async () => {
    await report(2);
    await report(0);
    await rig.stop();
    await rig.start();
    expect(await recoveryOfRow()).toMatchObject({ results: 1 });
    expect((await ask('POST', `${MON}/checks/disk/rename`, { to: 'space' })).status).toBe(200);
    expect(await recoveryOfRow()).toMatchObject({ results: 1 });
    await report(0, { name: 'space' });
    expect(await recoveryOfRow()).toMatchObject({ results: 2 });
    await report(0, { name: 'space' });
    expect(await rows()).toEqual([]);
  });

  test('a manual resolve resolves an event without waiting for further OK results', async () => {
    await report(2);
    await report(0);
    expect((await ask('POST', '/resolve', { client: 'web-1', check: 'disk' })).status).toBe(202);
    expect(await rows()).toEqual([]);
  });

  test('an expire_on_resolve silence ends only when its event has fully recovered', async () => {
    await report(2);
    await ask('POST', '/silenced', { subscription: 'client:web-1', check: 'disk', expire_on_resolve: true });
    await report(0);
    await report(0);
    expect((await ask('GET', '/silenced')).body).toHaveLength(1);
    await report(0);
    expect((await ask('GET', '/silenced')).body).toEqual([]);
  });

  test('an expired TTL interrupts the recovery of an event like any other failure', async () => {
    await report(2, { ttl: 90 });
    await report(0, { ttl: 90 });
    expect(await recoveryOfRow()).toMatchObject({ results: 1 });
    rig.clock.advance(2 * MINUTE);
    await expect.poll(() => rows()).toMatchObject([{ status: 1 }]);
    expect(await recoveryOfRow()).toBeUndefined();
  });

  test('the timeline shows when a recovery began, when it relapsed and when it completed', async () => {
    for (const status of [2, 0, 2, 0, 0, 0]) await report(status);
    const { transitions } = (await ask('GET', `${MON}/timeline?client=web-1`)).body as TimelinePage;
    expect(transitions.map(({ kind, was, status }) => [kind, was, status])).toEqual([
      ['resolve', 2, 0],
      ['recovering', 2, 2],
      ['relapse', 2, 2],
      ['recovering', 2, 2],
      ['create', undefined, 2],
    ]);
  });

  test('explain and simulate show the recovery of an event', async () => {
    await report(2);
    await report(0);
    expect((await ask('GET', `${MON}/events/web-1/disk/explain`)).body).toMatchObject({
      event: { recovering: { results: 1, after: 3 } },
      reason:
        'the event is recovering (1 of 3 OK); its resolution is notified after that; no handler runs: default: no handler with this name is defined',
    });
    const result = { name: 'disk', source: 'web-1', output: '', status: 0, resolve_after: 3 };
    expect((await ask('POST', `${MON}/simulate`, result)).body).toMatchObject({
      transition: 'none',
      reason: 'nothing to handle: the result is OK, and the event stays open until it has recovered (2 of 3 OK)',
    });
    expect((await ask('POST', `${MON}/simulate`, { ...result, resolve_after: 2 })).body).toMatchObject({
      transition: 'resolve',
    });
  });

  test('a dump contains the recovery of an event', async () => {
    await report(2);
    await report(0);
    const before = await rows();
    const objects = (await Promise.all(['Entity', 'Event'].map(dumped))).flat();
    await ask('DELETE', '/clients/web-1');
    await expect.poll(() => rows()).toEqual([]);
    expect((await ask('POST', `${MON}/restore`, { objects })).status).toBe(200);
    expect(await rows()).toEqual(before);
  });

  test('a clock jump moves the times of the recovery of an event', () => {
    const recovery = { results: 1, since: 100, last: 160, after: '5m' };
    const text = JSON.stringify({ check: { executed: 160 }, event: { id: 'an id', recovery } });
    expect(datedCheckRecord(text, { seconds: [3600], merged: 0 })).toMatchObject({
      check: { executed: 3760 },
      event: { recovery: { ...recovery, since: 3700, last: 3760 } },
    });
  });
});
