import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { BackendRig } from '../../../support/backend-rig.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import type { Answer } from '../../../support/raw-http.ts';

let rig: BackendRig;

beforeEach(async () => {
  rig = await BackendRig.open();
});

/** The number of silences: large enough that applying them takes several turns of the event loop. */
const COUNT = 2000;

const silences = Array.from({ length: COUNT }, (_, at) => ({
  op: 'silence',
  check: `check-${String(at)}`,
  reason: 'why',
}));

const bulk = (operations: readonly unknown[]): Promise<Answer> => rig.ask('POST', '/api/mon/v1/bulk', { operations });

/** Lists the silences repeatedly until `change` has a response, and returns the totals that were read. */
async function totalsBeside(change: Promise<unknown>): Promise<ReadonlySet<number>> {
  const totals = new Set<number>();
  const state = { isDone: false };
  void change.finally(() => (state.isDone = true));
  while (!state.isDone) {
    const answers = await Promise.all(
      ['/silenced?limit=1', '/api/mon/v1/silenced?limit=1&q=check'].map((path) => rig.ask('GET', path)),
    );
    for (const { headers } of answers)
      totals.add((JSON.parse(headers['x-pagination'] ?? '') as { total: number }).total);
    await nextTurn();
  }
  await change;
  return totals;
}

test('a list that is read while a large bulk is applied contains all changes of the bulk or none', async () => {
  const totals = await totalsBeside(bulk(silences));
  expect([...totals].filter((total) => total !== 0 && total !== COUNT)).toEqual([]);
  const { headers } = await rig.ask('GET', '/silenced?limit=1');
  expect(headers['x-pagination']).toContain(`"total":${String(COUNT)}`);
});

test('a list that is read while a large bulk fails contains no change of the bulk', async () => {
  rig.store.refuses = (ops) => ops.length > COUNT;
  const change = bulk(silences);
  expect([...(await totalsBeside(change))].filter((total) => total !== 0)).toEqual([]);
  expect((await change).status).toBe(503);
  rig.store.refuses = () => false;
  expect((await rig.ask('GET', '/silenced')).body).toEqual([]);
});

test('a read waits until a large bulk that is being applied is committed', async () => {
  const release = rig.store.hold();
  const { writes } = rig.store;
  const change = bulk(silences);
  while (rig.store.writes === writes) await nextTurn();
  let total: string | undefined;
  const read = rig.ask('GET', '/silenced?limit=1').then(({ headers }) => (total = headers['x-pagination']));
  const { status } = await rig.ask('GET', '/info');
  expect([status, total]).toEqual([200, undefined]);
  release();
  await Promise.all([change, read]);
  expect(total).toContain(`"total":${String(COUNT)}`);
});

test('the feed sends no change of a large bulk before the bulk is committed', async () => {
  const release = rig.store.hold();
  const { writes } = rig.store;
  const before = await FeedPeer.subscribe(rig.url, { topics: ['silenced'] });
  await vi.waitFor(() => {
    rig.clock.advance(100);
    expect(before.all('live')).toHaveLength(1);
  });
  const change = bulk(silences);
  while (rig.store.writes === writes) await nextTurn();
  const during = await FeedPeer.subscribe(rig.url, { topics: ['silenced'] });
  rig.clock.advance(1000);
  // This response arrives after all earlier messages to the feed clients.
  expect((await rig.ask('GET', '/info')).status).toBe(200);
  expect([before, during].map(({ replica }) => replica.silenced.size)).toEqual([0, 0]);
  release();
  await change;
  await vi.waitFor(() => {
    rig.clock.advance(100);
    expect([before, during].map(({ replica }) => replica.silenced.size)).toEqual([COUNT, COUNT]);
  });
});
