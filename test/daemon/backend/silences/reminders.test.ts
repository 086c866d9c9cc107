import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { asking } from '../../../support/asking.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const MINUTE = 60_000;

let clock: ManualClock;
let dir: string;
let backend: Backend;

async function start(): Promise<void> {
  backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 } });
}
beforeEach(async () => {
  clock = new ManualClock();
  dir = await tempDir();
  await start();
  onTestFinished(() => backend.stop());
});

const ask = (method: string, target: string, body?: unknown): ReturnType<ReturnType<typeof asking>> =>
  asking(backend.url)(method, target, body);
const silence = (expire = 3600): ReturnType<typeof ask> => ask('POST', '/silenced', { check: 'disk', expire });
const fail = (source: string): ReturnType<typeof ask> =>
  ask('POST', '/results', { name: 'disk', source, output: 'full', status: 2 });
/** What was noted in the entry, as a dump has it. */
async function reminded(): Promise<unknown> {
  const { body } = await ask('GET', '/api/mon/v1/dump/Silenced');
  const [object] = (body as { objects: { spec: { mon: { entry: { reminded?: unknown } } } }[] }).objects;
  return object?.spec.mon.entry.reminded;
}

describe('a silence that is about to end (spec, reminder)', () => {
  test('is pointed out when it keeps something quiet, once, over a restart too', async () => {
    await silence();
    await fail('web-1');
    await fail('web-2');
    clock.advance(50 * MINUTE - 1);
    expect(await reminded()).toBeUndefined();
    clock.advance(1);
    const told = { at: clock.now() / 1000, events: 2 };
    await expect.poll(reminded).toEqual(told);
    await fail('web-3');
    await backend.stop();
    clock.advance(MINUTE);
    await start();
    clock.advance(MINUTE);
    expect(await reminded()).toEqual(told);
  });

  test('is not where it keeps nothing quiet', async () => {
    await silence();
    clock.advance(50 * MINUTE);
    await fail('web-1');
    expect(await reminded()).toBeUndefined();
  });

  test('is pointed out again before another end', async () => {
    await silence();
    await fail('web-1');
    clock.advance(40 * MINUTE);
    await silence();
    clock.advance(49 * MINUTE);
    expect(await reminded()).toBeUndefined();
    clock.advance(MINUTE);
    await expect.poll(reminded).toMatchObject({ events: 1 });
    await silence();
    expect(await reminded()).toBeUndefined();
  });

  test('is pointed out late by a backend that was away', async () => {
    await silence();
    await fail('web-1');
    await backend.stop();
    clock.advance(55 * MINUTE);
    await start();
    clock.advance(1);
    await expect.poll(reminded).toMatchObject({ events: 1 });
  });
});
