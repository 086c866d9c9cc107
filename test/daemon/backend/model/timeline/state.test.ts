import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { PastChanges, PastState } from '../../../../../shared/schemas/timeline.ts';
import type { Ask } from '../../../../support/asking.ts';
import { BackendRig } from '../../../../support/backend-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const STATE = '/api/mon/v1/timeline/state';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let days: number;
let rig: BackendRig;

function sections(): Parameters<BackendRig['start']>[0] {
  return { program: { timeline: { days } } };
}
/** Restarts the backend with a clock that is `ms` later, so that no timers run in between. */
async function restartAfter(ms: number): Promise<void> {
  await rig.stop();
  rig.clock = new ManualClock(rig.clock.now() + ms);
  await rig.start(sections());
}
beforeEach(async () => {
  days = 90;
  rig = await BackendRig.open(sections());
});

const ask: Ask = (...request) => rig.ask(...request);

/**
 * Advances the clock by a minute, and reports one result.
 *
 * @returns the time of the result
 */
async function report(name: string, status: number, source = 'web-1'): Promise<number> {
  rig.clock.advance(MINUTE);
  await ask('POST', '/results', { source, name, status, output: `${name} says ${String(status)}` });
  return rig.clock.now();
}

async function state(query = ''): Promise<PastState> {
  const answer = await ask('GET', `${STATE}?${query}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as PastState;
}
const at = (atMs: number, query = ''): Promise<PastState> => state(`at=${String(atMs)}&silenced&clients&${query}`);
const openEvents = ({ events }: PastState): string[] =>
  events.map((row) => `${row.client}/${row.check} ${String(row.status)}`);

async function clientsAt(moment: number): Promise<unknown> {
  return (await at(moment)).clients?.map(({ name, events, deleted }) => [name, events, deleted]);
}
async function changesAround(moment: number): Promise<unknown> {
  const { previous, next } = await at(moment);
  return [previous, next];
}

async function checkpoints(): Promise<{ readonly id?: number }[]> {
  const all: { readonly id?: number }[] = [];
  for await (const [, text] of rig.store.scan(['timeline-checkpoint'])) all.push(JSON.parse(text) as { id?: number });
  return all;
}
async function checkpointPartCount(): Promise<number> {
  let count = 0;
  for await (const _ of rig.store.scan(['timeline-state'])) count++;
  return count;
}
/** Advances the clock by ten seconds, and waits until `count` checkpoints are stored. */
async function checkpoint(count = 1): Promise<void> {
  rig.clock.advance(10_000);
  await vi.waitFor(async () => expect((await checkpoints()).filter(({ id }) => id !== undefined)).toHaveLength(count));
}

describe('GET /api/mon/v1/timeline/state (spec, timeline 5)', () => {
  test('the state at a past time contains the events that match a search, the most severe first, in pages', async () => {
    await report('cpu', 1);
    await report('disk', 2);
    const then = await report('load', 2, 'web-2');
    await report('disk', 0);
    const all = await at(then);
    expect(openEvents(all)).toEqual(['web-2/load 2', 'web-1/disk 2', 'web-1/cpu 1']);
    expect(all.counts).toMatchObject({ events: 3, critical: 2, warning: 1, unknown: 0, silenced: 0, clients: 2 });
    expect(openEvents(await at(then, 'q=client%3Dweb-1&sort=check'))).toEqual(['web-1/cpu 1', 'web-1/disk 2']);
    const page = await at(then, 'limit=1&offset=1');
    expect([openEvents(page), page.total]).toEqual([['web-1/disk 2'], 3]);
    expect(openEvents(await state())).toEqual(['web-2/load 2', 'web-1/cpu 1']);
  });

  test('the search by age in the state at a past time measures the age at that time', async () => {
    await report('cpu', 1);
    rig.clock.advance(10 * MINUTE);
    const then = await report('disk', 2);
    expect(openEvents(await at(then, 'q=age%3E5m'))).toEqual(['web-1/cpu 1']);
  });

  test('the state at a past time contains the silences and the events that they covered', async () => {
    const before = await report('cpu', 2);
    rig.clock.advance(MINUTE);
    await ask('POST', '/silenced', { check: 'cpu', expire: 120, reason: 'CHG-1', expire_on_resolve: true });
    const during = rig.clock.now();
    rig.clock.advance(5 * MINUTE);
    const after = rig.clock.now();
    const [first] = (await at(during)).events;
    expect(first?.silenced_by).toEqual(['*:cpu']);
    expect((await at(during)).silenced).toMatchObject([
      { id: '*:cpu', check: 'cpu', reason: 'CHG-1', expire_on_resolve: true, expire_at: during / 1000 + 120 },
    ]);
    expect((await at(during)).counts).toMatchObject({ silenced: 1, silences: 1 });
    for (const moment of [before, after]) {
      const { events, silenced } = await at(moment);
      expect([events[0]?.silenced_by, silenced]).toEqual([[], []]);
    }
  });

  test('a recurring silence is active in its past windows, even if no backend was running then', async () => {
    await report('disk', 2);
    await ask('POST', '/api/mon/v1/silenced', {
      check: 'disk',
      recurrence: { schedule: 'daily 02:00', duration: 3600 },
    });
    await restartAfter(3 * DAY);
    // Moments before, in and after the window of the second day. The silence was created with the window of the first
    // day.
    const [early, within, late] = [0.5, 1.5, 2.5].map((hour) => ManualClock.START_MS + DAY + (hour + 1) * 60 * MINUTE);
    expect((await at(within ?? 0)).events[0]?.silenced_by).toEqual(['*:disk']);
    for (const [from, to, ids] of [
      [early, within, ['*:disk']],
      [within, late, []],
      [late, within, ['*:disk']],
    ] as const) {
      const target = `/api/mon/v1/timeline/changes?from=${String(from)}&at=${String(to)}`;
      const changes = (await ask('GET', target)).body as PastChanges;
      expect(changes.silenced).toMatchObject([{ id: '*:disk' }]);
      expect(changes.events.flatMap(({ silenced_by: by }) => by)).toEqual(ids);
    }
  });

  test('the state at a past time contains the clients known at that time, with their current attributes', async () => {
    const first = await report('cpu', 0);
    const second = await report('cpu', 2, 'web-2');
    rig.clock.advance(MINUTE);
    await ask('DELETE', '/clients/web-2');
    await vi.waitFor(async () => expect((await state('clients')).clients).toHaveLength(1));
    expect(await clientsAt(first)).toEqual([['web-1', 0, undefined]]);
    expect(await clientsAt(second)).toEqual([
      ['web-1', 0, undefined],
      ['web-2', 1, true],
    ]);
  });

  test('the state at a past time contains the times of the previous and the next change', async () => {
    const moments = [await report('cpu', 2), await report('disk', 2), await report('cpu', 0)];
    const [one = 0, two = 0, three = 0] = moments;
    rig.clock.advance(MINUTE);
    expect(await changesAround(rig.clock.now())).toEqual([three, null]);
    expect(await changesAround(three)).toEqual([two, null]);
    expect(await changesAround(two + 1)).toEqual([two, three]);
    expect(await changesAround(two)).toEqual([one, three]);
    expect(await changesAround(one)).toEqual([null, two]);
  });

  test.each([
    ['in the future', () => rig.clock.now() + 1, 400, 'at must not be in the future'],
    [
      'before the first transition',
      () => rig.clock.now() - 60 * MINUTE,
      404,
      'there is no history for that time: request',
    ],
  ])('the state at a time %s is an error', async (_name, moment, status, message) => {
    await report('cpu', 2);
    const answer = await ask('GET', `${STATE}?at=${String(moment())}`);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(message)]);
  });

  test('the state at a past time returns 404 when the timeline is turned off', async () => {
    await rig.stop();
    days = 0;
    await rig.start(sections());
    await report('cpu', 2);
    expect((await ask('GET', STATE)).status).toBe(404);
  });
});

describe('checkpoints', () => {
  test('the first checkpoint is written with the first transition and contains the state before the transition', async () => {
    days = 0;
    await rig.stop();
    await rig.start(sections());
    await report('cpu', 2);
    days = 90;
    await restartAfter(MINUTE);
    await checkpoint();
    const then = await report('disk', 1);
    expect(openEvents(await at(then))).toEqual(['web-1/cpu 2', 'web-1/disk 1']);
    expect((await at(then)).events[0]).toMatchObject({ occurrences: 1, output: 'cpu says 2' });
  });

  test('the state at a time before, at or after a checkpoint is correct', async () => {
    const first = await report('cpu', 2);
    await restartAfter(DAY);
    const second = await report('disk', 2);
    await checkpoint();
    const third = await report('cpu', 0);
    expect([openEvents(await at(first)), openEvents(await at(second)), openEvents(await at(third))]).toEqual([
      ['web-1/cpu 2'],
      ['web-1/disk 2', 'web-1/cpu 2'],
      ['web-1/disk 2'],
    ]);
  });

  test('an interrupted checkpoint changes nothing and is removed by the next one', async () => {
    const then = await report('cpu', 2);
    await restartAfter(DAY);
    let refused = 0;
    rig.store.refuses = (ops) => ops.some(({ key }) => key[0] === 'timeline-state') && ++refused > 0;
    rig.clock.advance(10_000);
    await vi.waitFor(() => expect(refused).toBe(1));
    expect(await checkpoints()).toMatchObject([{ from: expect.any(Number) as number, rows: 0 }]);
    expect((await checkpoints())[0]).not.toHaveProperty('id');
    expect(openEvents(await at(then))).toEqual(['web-1/cpu 2']);
    rig.store.refuses = () => false;
    await vi.waitFor(async () => {
      rig.clock.advance(10_000);
      expect((await checkpoints()).map(({ id }) => id)).toEqual([expect.any(Number)]);
    });
    expect(await checkpointPartCount()).toBe(1);
    expect(openEvents(await at(then))).toEqual(['web-1/cpu 2']);
  });

  test('checkpoints are deleted together with old transitions, except for the newest checkpoint', async () => {
    await report('cpu', 2);
    await restartAfter(DAY);
    await checkpoint(1);
    await report('disk', 2);
    await restartAfter(50 * DAY);
    await checkpoint(2);
    await restartAfter(60 * DAY);
    rig.clock.advance(10_000);
    await vi.waitFor(async () => expect(await checkpoints()).toHaveLength(1));
    expect(await checkpointPartCount()).toBe(1);
    expect(openEvents(await state())).toEqual(['web-1/disk 2', 'web-1/cpu 2']);
  });

  test('a clock jump writes a checkpoint, because it moves the ends of silences', async () => {
    rig.clock.bootId = 'since this morning';
    await rig.stop();
    await rig.start(sections());
    await report('cpu', 2);
    await ask('POST', '/silenced', { check: 'cpu', expire: 7200, reason: 'CHG-1' });
    rig.clock.set(60 * MINUTE);
    await rig.stop();
    await rig.start(sections());
    await checkpoint();
    const ends = (await ask('GET', '/api/mon/v1/silenced')).body as { expire_at: number }[];
    const { silenced } = await state('silenced');
    expect(silenced?.map((entry) => entry.expire_at)).toEqual(ends.map((entry) => entry.expire_at));
    expect(ends[0]?.expire_at).toBe(ManualClock.START_MS / 1000 + 60 + 7200 + 3600);
  });

  test('the timeline contains restored events and silences like any other change', async () => {
    await report('cpu', 2);
    await ask('POST', '/silenced', { check: 'cpu', expire: 7200, reason: 'CHG-1' });
    const objects: unknown[] = [];
    for (const type of ['entities', 'events', 'silenced']) {
      const page = await rig.administer('GET', `/api/mon/v1/dump/${type}`);
      objects.push(...(page.body as { objects: readonly unknown[] }).objects);
    }
    await rig.stop();
    rig.dir = await tempDir();
    await rig.start(sections());
    rig.clock.advance(MINUTE);
    expect(await rig.administer('POST', '/api/mon/v1/restore', { objects })).toMatchObject({ status: 200 });
    const then = rig.clock.now();
    await report('cpu', 0);
    const past = await at(then);
    expect([openEvents(past), past.silenced?.map(({ id }) => id)]).toEqual([['web-1/cpu 2'], ['*:cpu']]);
    expect(past.events[0]?.silenced_by).toEqual(['*:cpu']);
  });

  test('checkpoints are deleted when the timeline is turned off', async () => {
    await report('cpu', 2);
    await restartAfter(DAY);
    await checkpoint();
    days = 0;
    await restartAfter(MINUTE);
    rig.clock.advance(10_000);
    await vi.waitFor(async () => expect([await checkpoints(), await checkpointPartCount()]).toEqual([[], 0]));
  });
});
