import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Activity } from '../../../../daemon/backend/health/activity.ts';
import type { Lease, Store } from '../../../../daemon/backend/ports.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const MINUTE_MS = 60_000;

let clock: ManualClock;
let store: Store;
let lease: Lease;
let activity: Activity;
let results: { committedResults: number };

beforeEach(async () => {
  clock = new ManualClock();
  store = await openLevelStore(await tempDir());
  lease = await store.acquire('main', 30_000);
  results = { committedResults: 0 };
  activity = await Activity.open({ store, shard: 'main', batcher: results, clock });
  onTestFinished(async () => {
    activity[Symbol.dispose]();
    await store.close();
  });
});

/** One commit in which the event of a check changed on so many clients. */
async function change(check: string, clients: number): Promise<void> {
  const changes = Array.from({ length: clients }, (_, at) => ['event', 'default', `web-${String(at)}`, check] as const);
  await store.write(lease, [], changes);
}

test('checks are counted by the changes of their events', async () => {
  await change('disk', 2);
  await change('swap', 3);
  await change('disk', 2);
  await store.write(lease, [], [['client', 'default', 'web-1']]);
  expect(activity.noisiest(10)).toEqual([
    { check: 'disk', events: 4 },
    { check: 'swap', events: 3 },
  ]);
  expect(activity.noisiest(1)).toEqual([{ check: 'disk', events: 4 }]);
});

test('those of other namespaces are not', async () => {
  await store.write(lease, [], [['event', 'shop', 'web-1', 'secret']]);
  expect(activity.noisiest(10)).toEqual([]);
});

test('an hour later they are forgotten', async () => {
  await change('disk', 5);
  clock.advance(30 * MINUTE_MS);
  await change('swap', 1);
  expect(activity.noisiest(10)).toHaveLength(2);
  clock.advance(30 * MINUTE_MS);
  expect(activity.noisiest(10)).toEqual([{ check: 'swap', events: 1 }]);
  // Also where nothing has happened since.
  clock.advance(31 * MINUTE_MS);
  expect(activity.noisiest(10)).toEqual([]);
});

test('ten thousand checks are counted in ten minutes, and no more', async () => {
  const changes = Array.from(
    { length: 10_001 },
    (_, at) => ['event', 'default', 'web', `check-${String(at)}`] as const,
  );
  await store.write(lease, [], changes);
  await change('one more', 5);
  await change('check-7', 1);
  expect(activity.noisiest(20_000)).toHaveLength(10_000);
  expect(activity.noisiest(1)).toEqual([{ check: 'check-7', events: 2 }]);
});

test('rates are of ten seconds each, for fifteen minutes', () => {
  expect(activity.rates).toEqual([]);
  results.committedResults = 50;
  clock.advance(10_000);
  results.committedResults = 51;
  clock.advance(10_000);
  clock.advance(10_000);
  expect(activity.rates).toEqual([5, 0.1, 0]);
  clock.advance(15 * MINUTE_MS);
  expect(activity.rates).toHaveLength(90);
});

test('when it is closed no timer is left', () => {
  activity[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
