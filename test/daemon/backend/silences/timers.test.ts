import { expect, test, vi } from 'vitest';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SILENCE_RECORDS } from '../../../../daemon/backend/model/silences/storage.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const START_S = ManualClock.START_MS / 1000;
const FRAME_MS = 50;

/** Lets the feed send frames until `check` does not throw. */
async function tick({ clock }: BackendRig, check: () => void): Promise<void> {
  await vi.waitFor(() => {
    clock.advance(FRAME_MS);
    check();
  });
}

async function storedIds(dir: string): Promise<unknown[]> {
  const store = await openLevelStore(dir);
  const ids: unknown[] = [];
  for await (const [, value] of store.scan([SILENCE_RECORDS.prefix]))
    ids.push((JSON.parse(value) as { id: string }).id);
  await store.close();
  return ids;
}

const failing = { source: 'web-1', name: 'disk', output: 'full', status: 2 };

test('a silence with expire: 0 is removed from the store at once', async () => {
  const rig = await BackendRig.open();
  const sent: string[][] = [];
  await rig.api.silence({ check: 'disk', expire: 0 });
  rig.store.refuses = (ops) => {
    sent.push(ops.flatMap(({ type, key }) => (key[0] === SILENCE_RECORDS.prefix ? type : [])));
    return false;
  };
  await tick(rig, () => expect(sent).toEqual([['del']]));
  await rig.stop();
  expect(await storedIds(rig.dir)).toEqual([]);
});

test('the feed removes an expired silence and shows its events as no longer silenced', async () => {
  const rig = await BackendRig.open();
  await rig.api.submitResult(failing);
  await rig.api.silence({ check: 'disk', expire: 3 });
  const peer = await FeedPeer.subscribe(rig.url, { topics: ['events', 'silenced'] });
  await tick(rig, () => expect(peer.all('live')).toHaveLength(1));
  expect(peer.replica.events.get('web-1/disk')?.silenced_by).toEqual(['*:disk']);
  rig.clock.advance(3000);
  await tick(rig, () => expect(peer.replica.silenced.size).toBe(0));
  expect(peer.replica.events.get('web-1/disk')?.silenced_by).toEqual([]);
});

test('the feed sends a silence that becomes active together with its events', async () => {
  const rig = await BackendRig.open();
  await rig.api.submitResult(failing);
  await rig.api.silence({ check: 'disk', begin: START_S + 3 });
  const peer = await FeedPeer.subscribe(rig.url);
  await tick(rig, () => expect(peer.all('live')).toHaveLength(1));
  expect(peer.replica.events.get('web-1/disk')?.silenced_by).toEqual([]);
  rig.clock.advance(3000);
  await tick(rig, () => expect(peer.replica.events.get('web-1/disk')?.silenced_by).toEqual(['*:disk']));
});

test('expired silences are removed from the store, even if they expired while the backend was stopped', async () => {
  const rig = await BackendRig.open();
  await rig.api.silence({ check: 'while-it-runs', expire: 1 });
  await rig.api.silence({ check: 'while-it-is-away', expire: 60 });
  await rig.api.silence({ check: 'never' });
  rig.clock.advance(1000);
  await rig.stop();
  expect(await storedIds(rig.dir)).toEqual(['*:never', '*:while-it-is-away']);
  rig.clock.advance(3_600_000);
  await rig.start();
  rig.clock.advance(0);
  await rig.stop();
  expect(await storedIds(rig.dir)).toEqual(['*:never']);
});

/** Creates a silence, and advances the clock while its write is in progress. */
async function silenceSlowly(
  rig: BackendRig,
  times: { begin?: number; expire?: number },
  passMs: number,
): Promise<void> {
  const { store } = rig;
  if (store === undefined) throw new Error('no store');
  const { writes } = store;
  const release = store.hold();
  const made = rig.api.silence({ check: 'disk', ...times });
  await vi.waitFor(() => expect(store.writes).toBe(writes + 1));
  rig.clock.advance(passMs);
  release();
  await made;
}

test('a silence that expires while its creation is being written is removed like any other', async () => {
  const rig = await BackendRig.open();
  await silenceSlowly(rig, { expire: 1 }, 2000);
  await vi.waitFor(async () => {
    rig.clock.advance(1);
    expect(await rig.api.audit()).toMatchObject([{ action: 'silence.expire' }, { action: 'silence.create' }]);
  });
  await rig.stop();
  expect(await storedIds(rig.dir)).toEqual([]);
});

test('a silence that becomes active while its creation is being written is sent with its events', async () => {
  const rig = await BackendRig.open();
  await rig.api.submitResult(failing);
  const peer = await FeedPeer.subscribe(rig.url);
  await tick(rig, () => expect(peer.all('live')).toHaveLength(1));
  await silenceSlowly(rig, { begin: Math.ceil(rig.clock.now() / 1000) + 3 }, 5000);
  await tick(rig, () => expect(peer.replica.events.get('web-1/disk')?.silenced_by).toEqual(['*:disk']));
});

test('a restart does not change when a silence expires', async () => {
  const rig = await BackendRig.open();
  await rig.api.silence({ check: 'disk', expire: 60 });
  rig.clock.advance(20_000);
  await rig.stop();
  rig.clock.advance(20_000);
  await rig.start();
  expect(await rig.api.silenced()).toMatchObject([{ id: '*:disk', expire: 20 }]);
  rig.clock.advance(20_000);
  expect(await rig.api.silenced()).toEqual([]);
});

test('a feed consumer that resumes after a restart gets the silences that became active meanwhile', async () => {
  const rig = await BackendRig.open();
  await rig.api.submitResult(failing);
  await rig.api.silence({ check: 'disk', begin: START_S + 60 });
  const before = await FeedPeer.subscribe(rig.url);
  await tick(rig, () => expect(before.all('live')).toHaveLength(1));
  const { store } = await before.hears('hello');
  const { seq } = await before.hears('live');
  await rig.stop();
  rig.clock.advance(120_000);
  await rig.start();
  const after = await FeedPeer.subscribe(rig.url, { since: seq, store });
  await tick(rig, () => expect(after.all('live')).toHaveLength(1));
  await tick(rig, () => expect(after.replica.events.get('web-1/disk')?.silenced_by).toEqual(['*:disk']));
});

test('the removal of an expired silence is retried if the store rejects it', async () => {
  const rig = await BackendRig.open();
  await rig.api.silence({ check: 'disk', expire: 60 });
  const { store } = rig;
  if (store === undefined) throw new Error('no store');
  let refusals = 0;
  store.refuses = () => refusals++ < 2;
  const { writes } = store;
  rig.clock.advance(60_000);
  await vi.waitFor(() => {
    rig.clock.advance(1000);
    expect(store.writes).toBe(writes + 3);
  });
  await rig.stop();
  expect(await storedIds(rig.dir)).toEqual([]);
});

test('a silence that was replaced does not expire at the expiry of the old silence', async () => {
  const rig = await BackendRig.open();
  await rig.api.silence({ check: 'disk', expire: 60 });
  await rig.api.silence({ check: 'disk', expire: 3600 });
  rig.clock.advance(60_000);
  expect(await rig.api.silenced()).toMatchObject([{ expire: 3540 }]);
});
