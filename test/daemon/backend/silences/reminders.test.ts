import { beforeEach, describe, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';

const MINUTE = 60_000;

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

const ask: Ask = (...request) => rig.administer(...request);
const silence = (expire = 3600): ReturnType<typeof ask> => ask('POST', '/silenced', { check: 'disk', expire });
const fail = (source: string): ReturnType<typeof ask> =>
  ask('POST', '/results', { name: 'disk', source, output: 'full', status: 2 });
/** Returns the sent reminder that a dump of the silence contains, or `undefined`. */
async function reminded(): Promise<unknown> {
  const { body } = await ask('GET', '/api/mon/v1/dump/Silenced');
  const [object] = (body as { objects: { spec: { mon: { entry: { reminded?: unknown } } } }[] }).objects;
  return object?.spec.mon.entry.reminded;
}

describe('a silence that is about to end (spec, reminder)', () => {
  test('a silence that covers an event gets one reminder before it expires, even across a restart', async () => {
    await silence();
    await fail('web-1');
    await fail('web-2');
    rig.clock.advance(50 * MINUTE - 1);
    expect(await reminded()).toBeUndefined();
    rig.clock.advance(1);
    const reminder = { at: rig.clock.now() / 1000, events: 2 };
    await expect.poll(reminded).toEqual(reminder);
    await fail('web-3');
    await rig.stop();
    rig.clock.advance(MINUTE);
    await rig.start();
    rig.clock.advance(MINUTE);
    expect(await reminded()).toEqual(reminder);
  });

  test('a silence that covers no event gets no reminder', async () => {
    await silence();
    rig.clock.advance(50 * MINUTE);
    await fail('web-1');
    expect(await reminded()).toBeUndefined();
  });

  test('a silence gets another reminder if its expiry changes', async () => {
    await silence();
    await fail('web-1');
    rig.clock.advance(40 * MINUTE);
    await silence();
    rig.clock.advance(49 * MINUTE);
    expect(await reminded()).toBeUndefined();
    rig.clock.advance(MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    await silence();
    expect(await reminded()).toBeUndefined();
  });

  test('a reminder that became due while the backend was stopped is sent after the start', async () => {
    await silence();
    await fail('web-1');
    await rig.stop();
    rig.clock.advance(55 * MINUTE);
    await rig.start();
    rig.clock.advance(1);
    await expect.poll(reminded).toMatchObject({ events: 1 });
  });
});

async function dump(): Promise<unknown> {
  return ((await ask('GET', '/api/mon/v1/dump/Silenced')).body as { objects: unknown }).objects;
}
/** Lets all due reminders be sent, and returns the reminder that the silence then contains. */
async function remindersAt(): Promise<unknown> {
  rig.clock.advance(1000);
  await fail('web-2');
  await fail('web-2');
  return await reminded();
}

describe('a silence whose reminder was sent and that is restored (spec, reminder 1)', () => {
  /** A recurring silence whose first window is an hour long and begins in an hour. */
  const RECURRING = { check: 'disk', reason: 'x', recurrence: { schedule: 'daily 01:00', duration: 3600 } };
  const ONCE = { check: 'disk', reason: 'x', expire: 7200 };

  test.each([
    ['once', ONCE],
    ['again and again', RECURRING],
  ])('a silence restored from a dump gets no second reminder: a silence that is active %s', async (_name, entry) => {
    await ask('POST', '/api/mon/v1/silenced', entry);
    await fail('web-1');
    rig.clock.advance(61 * MINUTE);
    rig.clock.advance(49 * MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    const [before, objects] = [await reminded(), await dump()];
    await ask('POST', '/silenced/clear', { id: '*:disk' });
    await ask('POST', '/api/mon/v1/restore', { objects });
    expect(await remindersAt()).toEqual(before);
  });

  test.each([
    ['once', ONCE],
    ['again and again', RECURRING],
  ])(
    'a silence restored from a dump older than its reminder gets no second reminder: a silence active %s',
    async (_name, entry) => {
      await ask('POST', '/api/mon/v1/silenced', entry);
      await fail('web-1');
      const objects = await dump();
      rig.clock.advance(61 * MINUTE);
      rig.clock.advance(49 * MINUTE);
      await expect.poll(reminded).toMatchObject({ events: 1 });
      const before = await reminded();
      await ask('POST', '/api/mon/v1/restore', { objects });
      expect(await remindersAt()).toEqual(before);
    },
  );

  test('undoing the clearing of a silence sends no second reminder', async () => {
    await ask('POST', '/api/mon/v1/silenced', RECURRING);
    await fail('web-1');
    rig.clock.advance(61 * MINUTE);
    rig.clock.advance(49 * MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    const before = await reminded();
    const cleared = await ask('POST', '/api/mon/v1/bulk', { operations: [{ op: 'clear', id: '*:disk' }] });
    expect(await reminded()).toBeUndefined();
    const [{ undo } = {}] = (cleared.body as { results: { undo?: unknown }[] }).results;
    await ask('POST', '/api/mon/v1/bulk', { operations: [undo], undo: true });
    expect(await remindersAt()).toEqual(before);
  });
});

test('the mon API shows the reminder of a silence with the silence, and the v1 API does not', async () => {
  await silence();
  await fail('web-1');
  rig.clock.advance(50 * MINUTE);
  await expect.poll(reminded).toMatchObject({ events: 1 });
  const shown = { reminder_sent: await reminded() };
  expect((await ask('GET', '/api/mon/v1/silenced')).body).toMatchObject([shown]);
  expect((await ask('GET', `/api/mon/v1/silenced/${encodeURIComponent('*:disk')}`)).body).toMatchObject(shown);
  expect((await ask('GET', '/silenced')).body).toEqual([
    expect.not.objectContaining({ reminder_sent: expect.anything() }),
  ]);
});

/** Restarts the backend with these handlers. Reminders are for the handler `note`, even if it is not defined. */
async function restart(handlers: readonly string[] = ['note'], more: object = {}): Promise<void> {
  const { program } = await loadConfig({ directories: [], env: {} });
  const note = handlerSchema.parse({
    type: 'pipe',
    command: `cat >> ${join(rig.dir, 'reminders')}; echo >> ${join(rig.dir, 'reminders')}`,
    ...more,
  });
  await rig.stop();
  await rig.start({
    program: { ...program, 'silence-reminder-handler': 'note' },
    handlers: new Map(handlers.map((name) => [name, note])),
  });
}

/** Returns the events that the handler received, one for each run. */
async function runs(): Promise<{ check: { output: string }; silence_ending: { id: string } }[]> {
  const text = await readFile(join(rig.dir, 'reminders'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { check: { output: string }; silence_ending: { id: string } });
}

/** Returns the id of the ending silence for each run of the handler, also if it gets groups. */
async function remindersOf(): Promise<readonly string[]> {
  return (await runs()).map((run) => /"silence_ending":\{"id":"([^"]+)"/.exec(JSON.stringify(run))?.[1] ?? '');
}

describe('the handlers of a reminder (spec, reminder 3)', () => {
  test('a handler gets one reminder for each expiry of a silence, even across a restart', async () => {
    await restart();
    await ask('POST', '/silenced', { check: 'disk', expire: 3600, reason: 'CHG-1', creator: 'alice' });
    await ask('POST', '/results', { name: 'disk', source: 'web-1', output: 'full', status: 2, handlers: [] });
    rig.clock.advance(50 * MINUTE);
    await expect.poll(runs).toMatchObject([
      {
        client: { name: 'mon' },
        check: {
          name: 'silence-reminder',
          status: 1,
          output: 'the silence *:disk ends in 10m and silences 1 event (alice: CHG-1)',
        },
        action: 'create',
        silence_ending: { id: '*:disk', check: 'disk', reminder_sent: { events: 1 } },
      },
    ]);
    await restart();
    rig.clock.advance(MINUTE);
    await silence();
    rig.clock.advance(50 * MINUTE);
    await expect.poll(async () => (await runs()).length).toBe(2);
    expect((await runs()).map(({ check }) => check.output)[1]).toBe(
      'the silence *:disk ends in 10m and silences 1 event',
    );
  });

  test('each reminder is sent in a notification of its own, even by a handler with group_by', async () => {
    await restart(['note'], { group_by: ['check'], group_wait: 30 });
    for (const check of ['disk', 'load']) {
      await ask('POST', '/silenced', { check, expire: 3600 });
      await ask('POST', '/results', { name: check, source: 'web-1', output: 'full', status: 2, handlers: [] });
    }
    rig.clock.advance(50 * MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    rig.clock.advance(MINUTE);
    await expect.poll(async () => (await remindersOf()).toSorted()).toEqual(['*:disk', '*:load']);
  });

  test('a reminder that was due while the backend was stopped runs its handler once after the restart', async () => {
    await restart();
    await silence();
    await fail('web-1');
    await rig.stop();
    rig.clock.advance(55 * MINUTE);
    await restart();
    rig.clock.advance(1);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    await rig.stop();
    await restart();
    await expect.poll(async () => (await runs()).length).toBe(1);
  });

  test('a silence counts as reminded even if no reminder handler is defined', async () => {
    await restart([]);
    await silence();
    await fail('web-1');
    rig.clock.advance(50 * MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    expect(await runs()).toEqual([]);
  });
});
