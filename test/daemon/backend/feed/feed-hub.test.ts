import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { rowsOfColumns } from '../../../../shared/domain/event-columns.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { FeedRig } from '../../../support/feed-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MIB = 1024 * 1024;

const failing = (source: string, about: Partial<SubmittedResult> = {}): SubmittedResult => ({
  source,
  name: 'disk',
  output: 'full',
  status: 2,
  ...about,
});

/** Returns a failing result for each of `count` clients. */
const failingResults = (count: number, about: Partial<SubmittedResult> = {}): SubmittedResult[] =>
  Array.from({ length: count }, (_, at) => failing(`web-${String(at)}`, about));

async function openLivePeer(rig: FeedRig, about: Parameters<typeof FeedPeer.subscribe>[1] = {}): Promise<FeedPeer> {
  const peer = await FeedPeer.subscribe(rig.url, about);
  await rig.until(() => expect(peer.all('live')).toHaveLength(1));
  return peer;
}

/** Returns the statuses of all events that the peer has received, by key. */
const statuses = (peer: FeedPeer): Record<string, number> =>
  Object.fromEntries([...peer.replica.events].map(([key, row]) => [key, row.status]));

test('a feed consumer gets a hello, then the snapshot of its topics, then the message "live"', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1', { output: 'full: /var\nmore', executed: 1 })]);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk', reason: 'planned' });
  const peer = await openLivePeer(rig, { topics: ['silenced', 'events', 'clients'] });
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'snapshot', 'live']);
  expect(await peer.hears('hello')).toMatchObject({ store: rig.store.id, name: 'test', time: ManualClock.START_MS });
  expect((await peer.hears('live')).seq).toBe(2);
  const now = Math.floor(rig.clock.now() / 1000);
  expect([...peer.replica.events]).toEqual([
    [
      'web-1/disk',
      {
        client: 'web-1',
        check: 'disk',
        status: 2,
        action: 'create',
        occurrences: 1,
        since: now,
        last: now,
        silenced_by: ['*:disk'],
        output: 'full: /var',
      },
    ],
  ]);
  expect([...peer.replica.silenced.keys()]).toEqual(['*:disk']);
  expect([...peer.replica.clients.keys()]).toEqual(['web-1']);
});

test('a consumer that requests columns gets the events of the snapshot in columns and all other data in rows', async () => {
  const rig = await FeedRig.open();
  await rig.submit([...failingResults(2001), failing('db-1', { name: 'swap', status: 1 })]);
  const peer = await openLivePeer(rig, { topics: ['events', 'clients'], columns: true });
  const byRow = await openLivePeer(rig);
  const parts = peer.all('snapshot').map(({ columns }) => columns && rowsOfColumns(columns.events));
  expect(parts.flatMap((rows) => rows ?? [])).toEqual([...byRow.replica.events.values()]);
  expect(peer.all('snapshot').every(({ rows }) => rows.events === undefined)).toBe(true);
  expect(peer.replica.clients.size).toBe(2002);
  await rig.submit([failing('db-1', { name: 'swap', status: 2 })]);
  await rig.until(() => expect(statuses(peer)).toEqual({ 'db-1/swap': 2 }));
});

test('a consumer that requests columns gets them with a filter and for all namespaces as well', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1'), failing('web-2', { status: 1 })]);
  const events = async (about: Parameters<typeof openLivePeer>[1]): Promise<unknown> => {
    const [snapshot] = (await openLivePeer(rig, { columns: true, ...about })).all('snapshot');
    return snapshot?.columns && rowsOfColumns(snapshot.columns.events);
  };
  expect(await events({ filter: 'status=warn' })).toMatchObject([{ client: 'web-2' }]);
  expect(await events({ filter: 'status=unknown' })).toBeUndefined();
  expect(await events({ namespace: '*' })).toMatchObject([
    { namespace: 'default', client: 'web-1' },
    { namespace: 'default', client: 'web-2' },
  ]);
});

test('a feed consumer gets only the topics that it requests', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig, { topics: ['silenced'] });
  await rig.submit([failing('web-1')]);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  await rig.until(() => expect(peer.replica.silenced.size).toBe(1));
  expect(peer.replica.events.size).toBe(0);
  expect(peer.replica.clients.size).toBe(0);
});

test('several changes of the same row within a frame are sent once, with the latest state', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  for (const status of [1, 2, 1, 3]) await rig.submit([failing('web-1', { status })]);
  await rig.submit([failing('web-2'), failing('web-2', { status: 0 })]);
  expect(peer.all('changes')).toEqual([]);
  await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
  expect(peer.all('changes')[0]).toMatchObject({
    seq: 5,
    rows: { events: { 'web-1/disk': { status: 3 }, 'web-2/disk': null } },
  });
});

test('a snapshot in many parts equals the state of the backend even if the state changes constantly', async () => {
  const rig = await FeedRig.open();
  await rig.submit(failingResults(5000));
  const peer = await FeedPeer.subscribe(rig.url, { topics: ['events', 'silenced', 'clients'] });
  await rig.until(() => expect(peer.all('snapshot').length).toBeGreaterThan(0));
  const churn = [
    rig.submit(failingResults(4999).map((result, at) => Object.assign(result, { status: at % 3 }))),
    rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:web-7' }),
    rig.clients.remove(DEFAULT_NAMESPACE, 'web-4999', { expireSeconds: undefined }),
    rig.submit([failing('new-1'), failing('a-1')]),
  ];
  await rig.until(() => expect(peer.all('snapshot').length).toBeGreaterThan(2));
  await Promise.all(churn);
  await rig.until(() => {
    expect(peer.all('live')).toHaveLength(1);
    expect(peer.replica.events.size).toBe(3334);
  });
  expect(peer.replica.events.get('web-7/disk')).toMatchObject({ status: 1, silenced_by: ['client:web-7:*'] });
  expect(peer.replica.events.has('web-3/disk')).toBe(false);
  expect(peer.replica.clients.has('web-4999')).toBe(false);
  expect(peer.replica.clients.has('new-1')).toBe(true);
});

test('a consumer that resumes gets only the changes since its resume token', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1'), failing('web-2')]);
  const before = await openLivePeer(rig);
  const { seq } = await before.hears('live');
  before.socket.terminate();
  await rig.submit([failing('web-2', { status: 0 }), failing('web-3')]);
  const after = await openLivePeer(rig, { since: seq, store: rig.store.id });
  expect(after.heard.map(({ type }) => type)).toEqual(['hello', 'changes', 'live']);
  expect(after.all('changes')[0]?.rows.events).toMatchObject({ 'web-2/disk': null, 'web-3/disk': { status: 2 } });
});

test('a consumer that resumes and has missed no change is live at once', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1')]);
  const { seq } = await (await openLivePeer(rig)).hears('live');
  const after = await openLivePeer(rig, { since: seq, store: rig.store.id });
  expect(after.heard.map(({ type }) => type)).toEqual(['hello', 'live']);
});

/** Opens a feed whose backend is a follower, and returns it with the sequence number of its last write. */
async function follower(): Promise<readonly [rig: FeedRig, seq: number]> {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1')]);
  const peer = await openLivePeer(rig);
  const { seq } = await peer.hears('live');
  peer.socket.terminate();
  await rig.batcher.resign();
  return [rig, seq];
}

test('a consumer that resumes at a follower one write behind waits for that write instead of a snapshot', async () => {
  const [rig, seq] = await follower();
  const peer = await FeedPeer.subscribe(rig.url, { since: seq + 1, store: rig.store.id });
  await peer.hears('hello');
  rig.clock.advance(1000);
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello']);
  const commit = { changes: [], results: 0, jobs: [], handlingNotes: [], times: undefined };
  rig.batcher.commits.announce({ ...commit, seq: seq + 1 });
  await rig.until(() => expect(peer.all('live')).toEqual([{ type: 'live', seq: seq + 1 }]));
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'live']);
});

test('a consumer gets a snapshot if the write from which it resumes does not arrive at the follower', async () => {
  const [rig, seq] = await follower();
  const peer = await FeedPeer.subscribe(rig.url, { since: seq + 1, store: rig.store.id });
  await vi.waitFor(() => {
    rig.clock.advance(1000);
    expect(peer.all('live')).toHaveLength(1);
  });
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'reset', 'snapshot', 'live']);
});

test.each<{ name: string; since: number; store?: string; filter?: string }>([
  { name: 'of another store', since: 1, store: 'another' },
  { name: 'without a store', since: 1 },
  { name: 'with a future sequence number', since: 1_000_000, store: 'this' },
  { name: 'older than the retention', since: 1, store: 'this' },
  { name: 'with a filter', since: 40, store: 'this', filter: 'status=crit' },
])('a feed with a resume token $name starts with a reset and a snapshot', async ({ since, store, filter }) => {
  const rig = await FeedRig.open({ recordsMax: 10, changesMax: 1000 });
  for (let at = 0; at < 40; at++) await rig.submit([failing(`web-${String(at % 4)}`, { status: 1 + (at % 2) })]);
  const peer = await openLivePeer(rig, {
    since,
    ...(store === undefined ? {} : { store: store === 'this' ? rig.store.id : store }),
    ...(filter === undefined ? {} : { filter }),
  });
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'reset', 'snapshot', 'live']);
  expect(peer.replica.events.size).toBe(filter === undefined ? 4 : 2);
});

test('a slow consumer that misses more changes than the log contains gets a reset', async () => {
  const rig = await FeedRig.open({ recordsMax: 10, changesMax: 1000 });
  const peer = await openLivePeer(rig);
  for (let at = 0; at < 30; at++) await rig.submit([failing(`web-${String(at % 3)}`, { status: 1 + (at % 2) })]);
  await rig.until(() => expect(peer.all('live')).toHaveLength(2));
  expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'snapshot', 'live', 'reset', 'snapshot', 'live']);
  expect(statuses(peer)).toEqual({ 'web-0/disk': 2, 'web-1/disk': 1, 'web-2/disk': 2 });
});

test('a filtered feed removes rows that no longer match and sends only rows that match', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1'), failing('web-2', { status: 1 })]);
  const peer = await openLivePeer(rig, { filter: 'status=crit' });
  expect(statuses(peer)).toEqual({ 'web-1/disk': 2 });
  await rig.submit([failing('web-1', { status: 1 }), failing('web-3', { status: 1 }), failing('web-4')]);
  await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
  expect(Object.keys(peer.all('changes')[0]?.rows.events ?? {}).toSorted()).toEqual(['web-1/disk', 'web-4/disk']);
  expect(statuses(peer)).toEqual({ 'web-4/disk': 2 });
});

test('filters of silences and of clients on the feed are independent of the filter of events', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1'), failing('db-1')]);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk', creator: 'alice' });
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'http', creator: 'bob' });
  const filters = { silenced: 'creator=alice', clients: 'client~web-*' };
  const peer = await openLivePeer(rig, { topics: ['events', 'silenced', 'clients'], filters });
  expect([[...peer.replica.silenced.keys()], [...peer.replica.clients.keys()]]).toEqual([['*:disk'], ['web-1']]);
  expect(peer.replica.events.size).toBe(2);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk', creator: 'carol' });
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'load', creator: 'alice' });
  await rig.submit([failing('web-2'), failing('db-2')]);
  await rig.until(() => {
    expect([...peer.replica.silenced.keys()]).toEqual(['*:load']);
    expect([...peer.replica.clients.keys()].toSorted()).toEqual(['web-1', 'web-2']);
  });
});

test('a silence of many events is sent in several frames, and only the last frame advances the sequence number', async () => {
  const rig = await FeedRig.open();
  await rig.submit(failingResults(5000));
  const peer = await openLivePeer(rig);
  const { seq } = await peer.hears('live');
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  await rig.until(() => expect(peer.all('changes').at(-1)?.seq).toBe(seq + 1));
  const frames = peer.all('changes');
  expect(frames.map((frame) => frame.seq)).toEqual([seq, seq, seq + 1]);
  for (const { rows } of frames) expect(Object.keys(rows.events ?? {}).length).toBeLessThanOrEqual(2000);
  expect([...peer.replica.events.values()].every((row) => row.silenced_by.length === 1)).toBe(true);
});

test('changes that occur while a silence of many events is sent in several frames are not lost', async () => {
  const rig = await FeedRig.open();
  await rig.submit(failingResults(7000));
  const peer = await openLivePeer(rig);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  await rig.until(() => expect(peer.all('changes').length).toBeGreaterThan(0));
  await rig.submit([failing('web-0', { status: 1 }), failing('web-6999', { status: 0 })]);
  await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
  await rig.until(() => {
    expect(peer.replica.events.size).toBe(6999);
    expect(peer.replica.events.get('web-0/disk')?.status).toBe(1);
    expect([...peer.replica.events.values()].every((row) => row.silenced_by.length === 0)).toBe(true);
  });
});

test('a failed write makes every consumer start over, because the backend reloads its state', async () => {
  const rig = await FeedRig.open();
  await rig.submit([failing('web-1')]);
  const peer = await openLivePeer(rig);
  let refusals = 0;
  rig.store.refuses = () => refusals++ === 0;
  await expect(rig.submit([failing('web-2')])).rejects.toMatchObject({ code: 'unavailable' });
  await rig.until(() => expect(peer.all('live')).toHaveLength(2));
  expect(statuses(peer)).toEqual({ 'web-1/disk': 2 });
});

test('the feed sends no change before the change is committed', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  const release = rig.store.hold();
  const submitted = rig.submit([failing('web-1')]);
  await vi.waitFor(() => expect(rig.store.writes).toBe(1));
  const late = await FeedPeer.subscribe(rig.url);
  await late.hears('hello');
  rig.clock.advance(500);
  release();
  await submitted;
  await rig.until(() => {
    expect(statuses(peer)).toEqual({ 'web-1/disk': 2 });
    expect(statuses(late)).toEqual({ 'web-1/disk': 2 });
  });
  // The only frame has the number of the commit: an earlier frame would have shown an uncommitted row.
  expect(peer.all('changes').map(({ seq }) => seq)).toEqual([1]);
});

test(
  'a consumer that does not read uses a bounded buffer and is disconnected in the end',
  { tags: 'slow' },
  async () => {
    const rig = await FeedRig.open();
    const peer = await openLivePeer(rig);
    peer.socket.pause();
    const [socket] = rig.sockets;
    let mostBuffered = 0;
    for (let round = 0; round < 40; round++) {
      await rig.submit(failingResults(2000, { output: 'x'.repeat(200), status: 1 + (round % 2) }));
      rig.clock.advance(50);
      mostBuffered = Math.max(mostBuffered, socket?.bufferedAmount ?? 0);
    }
    expect(mostBuffered).toBeGreaterThan(MIB);
    expect(mostBuffered).toBeLessThan(2 * MIB);
    for (let seconds = 0; seconds < 31; seconds++) rig.clock.advance(1000);
    expect(socket?.readyState).not.toBe(socket?.OPEN);
  },
);

test('a consumer that does not read is disconnected even if it still sends messages', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  peer.socket.pause();
  const [socket] = rig.sockets;
  if (socket === undefined) throw new Error('nobody came');
  for (let round = 0; socket.bufferedAmount < MIB; round++) {
    await rig.submit(failingResults(2000, { output: 'x'.repeat(200), status: 1 + (round % 2) }));
    rig.clock.advance(50);
  }
  for (let seconds = 0; seconds < 31 && socket.readyState === socket.OPEN; seconds++) {
    peer.say({ type: 'pong' });
    await once(socket, 'message');
    rig.clock.advance(1000);
  }
  expect(socket.readyState).not.toBe(socket.OPEN);
});

test('a consumer that sends nothing is pinged after 5 seconds and disconnected after 15 seconds', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  rig.clock.advance(4000);
  expect(peer.all('ping')).toEqual([]);
  rig.clock.advance(2000);
  await peer.hears('ping');
  for (let seconds = 0; seconds < 10; seconds++) rig.clock.advance(1000);
  expect((await peer.ends()).code).toBe(1006);
});

test('a feed consumer that responds to pings stays connected', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  for (let round = 1; round <= 4; round++) {
    rig.clock.advance(6000);
    await vi.waitFor(() => expect(peer.all('ping').length).toBeGreaterThanOrEqual(round));
    peer.say({ type: 'pong' });
    peer.say({ type: 'ping' });
    await vi.waitFor(() => expect(peer.all('pong')).toHaveLength(round));
  }
  expect(peer.ending).toBeUndefined();
});

test('the feed sends statistics once a second', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  await rig.submit([failing('web-1'), failing('web-2', { status: 0 }), failing('web-3', { status: 127 })]);
  rig.clock.advance(1000);
  await vi.waitFor(() => expect(peer.all('stats')).not.toEqual([]));
  expect(peer.all('stats').at(-1)?.stats).toMatchObject({
    results: { ok: 1, warning: 0, critical: 1, unknown: 1 },
    clients: 3,
    queue: 0,
  });
});

/** Requests a pace, and returns the consumer once the backend has processed the request. */
async function requestPace(rig: FeedRig, ms: number, peer?: FeedPeer): Promise<FeedPeer> {
  const asking = peer ?? (await openLivePeer(rig));
  const pongs = asking.all('pong').length;
  asking.say({ type: 'pace', ms });
  asking.say({ type: 'ping' });
  await rig.until(() => expect(asking.all('pong').length).toBeGreaterThan(pongs));
  return asking;
}

/**
 * Submits changes twice a second for ten seconds.
 *
 * @returns the number of frames with changes
 */
async function framesInTenSeconds(rig: FeedRig, peer: FeedPeer): Promise<number> {
  const before = peer.all('changes').length;
  for (let step = 0; step < 20; step++) {
    await rig.submit([failing('web-1', { status: 1 + (step % 2) }), failing(`web-${String(step + 2)}`)]);
    rig.clock.advance(500);
  }
  await rig.until(() => expect(peer.replica.events.size).toBe(21));
  return peer.all('changes').length - before;
}

describe('a feed consumer that requests a pace', () => {
  const PACE_MS = 1000;

  test('the hello of the feed says that a consumer may request a pace', async () => {
    const rig = await FeedRig.open();
    expect(await (await openLivePeer(rig)).hears('hello')).toMatchObject({ pace: true });
  });

  test.each([
    { ms: 0, frames: 20 },
    { ms: PACE_MS, frames: 10 },
    { ms: 5000, frames: 3 },
  ])(
    'a pace of $ms ms reduces the number of feed frames, and the consumer still gets the newest state',
    async ({ ms, frames }) => {
      const rig = await FeedRig.open();
      const peer = await requestPace(rig, ms);
      expect(Math.abs((await framesInTenSeconds(rig, peer)) - frames)).toBeLessThanOrEqual(1);
      expect(peer.replica.events.get('web-1/disk')).toMatchObject({ status: 2 });
    },
  );

  test('a consumer with a slow pace gets a single change at once', async () => {
    const rig = await FeedRig.open();
    const peer = await requestPace(rig, PACE_MS);
    await rig.submit([failing('web-1')]);
    const askedMs = rig.clock.now();
    await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
    expect((peer.all('changes')[0]?.time ?? Infinity) - askedMs).toBeLessThanOrEqual(50);
  });

  test('a consumer gets its pending changes as soon as it requests a faster pace', async () => {
    const rig = await FeedRig.open();
    const peer = await requestPace(rig, 10_000);
    await rig.submit([failing('web-1')]);
    await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
    await rig.submit([failing('web-2')]);
    rig.clock.advance(200);
    const askedMs = rig.clock.now();
    await requestPace(rig, 0, peer);
    await rig.until(() => expect(peer.all('changes')).toHaveLength(2));
    expect(statuses(peer)).toEqual({ 'web-1/disk': 2, 'web-2/disk': 2 });
    expect((peer.all('changes')[1]?.time ?? 0) - askedMs).toBeLessThan(5000);
  });

  test('a consumer with pending changes does not count as lagging while it waits for its pace', async () => {
    const rig = await FeedRig.open();
    const peer = await requestPace(rig, 5000);
    await rig.submit([failing('web-1')]);
    await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
    await rig.submit([failing('web-2')]);
    rig.clock.advance(3000);
    expect(rig.hub.lagMs).toBe(0);
  });

  test('a consumer with a slow pace gets thousands of changes at once instead of falling behind', async () => {
    const rig = await FeedRig.open();
    const peer = await requestPace(rig, 10_000);
    await rig.submit([failing('web-1')]);
    await rig.until(() => expect(peer.all('changes')).toHaveLength(1));
    await rig.submit(failingResults(6000));
    const askedMs = rig.clock.now();
    await rig.until(() => expect(peer.replica.events.size).toBe(6000));
    expect((peer.all('changes')[1]?.time ?? Infinity) - askedMs).toBeLessThanOrEqual(50);
    expect(peer.all('reset')).toEqual([]);
  });
});

describe('transport messages on the feed', () => {
  test('a transport message is sent only to consumers that subscribe to its transport', async () => {
    const rig = await FeedRig.open();
    const listener = await openLivePeer(rig, { topics: [], transports: ['alerts', 'audit'] });
    const both = await openLivePeer(rig, { topics: ['events'], transports: ['alerts'] });
    const other = await openLivePeer(rig, { topics: ['events'], transports: ['audit'] });
    const none = await openLivePeer(rig);
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, '{"id":1}');
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'text');
    rig.hub.publish('nobody', DEFAULT_NAMESPACE, 'hears this');
    const pieces = ['{"id":1}', 'text'].map((data) => ({
      type: 'message',
      transport: 'alerts',
      time: rig.clock.now(),
      data,
    }));
    for (const peer of [listener, both]) await vi.waitFor(() => expect(peer.all('message')).toEqual(pieces));
    // This change arrives after all transport messages, so any wrongly sent message has arrived before it.
    await rig.submit([failing('web-1')]);
    await rig.until(() => expect([both, other, none].map((peer) => peer.all('changes').length)).toEqual([1, 1, 1]));
    expect([other, none].flatMap((peer) => peer.all('message'))).toEqual([]);
  });

  test('a consumer that subscribes only to transports gets no rows', async () => {
    const rig = await FeedRig.open();
    await rig.submit([failing('web-1')]);
    const peer = await openLivePeer(rig, { topics: [], transports: ['alerts'] });
    await rig.submit([failing('web-2')]);
    rig.clock.advance(50);
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'after it');
    await peer.hears('message');
    expect(peer.heard.map(({ type }) => type)).toEqual(['hello', 'live', 'message']);
    expect(rig.hub.lagMs).toBe(0);
  });

  test('a transport message is not sent again after a reconnect, with or without a resume token', async () => {
    const rig = await FeedRig.open();
    const first = await openLivePeer(rig, { topics: [], transports: ['alerts'] });
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'then');
    await first.hears('message');
    first.socket.terminate();
    await first.ends();
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'meanwhile');
    const again = await openLivePeer(rig, { topics: [], transports: ['alerts'], since: 0, store: rig.store.id });
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'now');
    await vi.waitFor(() => expect(again.all('message').map(({ data }) => data)).toEqual(['now']));
    expect(again.all('reset')).toEqual([]);
  });

  test('transport messages that a consumer does not read are dropped and counted instead of using memory', async () => {
    const rig = await FeedRig.open();
    const slow = await openLivePeer(rig, { topics: [], transports: ['alerts', 'audit'] });
    const quick = await openLivePeer(rig, { topics: [], transports: ['alerts'] });
    slow.socket.pause();
    const [socket] = rig.sockets;
    const piece = 'x'.repeat(256 * 1024);
    let mostBuffered = 0;
    for (let count = 1; count <= 100; count++) {
      rig.hub.publish('alerts', DEFAULT_NAMESPACE, piece);
      mostBuffered = Math.max(mostBuffered, socket?.bufferedAmount ?? 0);
      await vi.waitFor(() => expect(quick.all('message')).toHaveLength(count));
    }
    rig.hub.publish('audit', DEFAULT_NAMESPACE, 'one');
    expect(mostBuffered).toBeLessThan(MIB + 2 * piece.length);
    slow.socket.resume();
    await vi.waitFor(() => expect(socket?.bufferedAmount).toBe(0));
    // The number of lost messages is sent before the next message of the same transport, so that the gap is known. For
    // other transports it is sent within a second.
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'the next');
    await vi.waitFor(() => expect(slow.all('missed')).toHaveLength(1));
    const taken = slow.all('message').length - 1;
    expect(taken).toBeLessThan(100);
    expect(slow.heard.slice(-2)).toMatchObject([
      { type: 'missed', transport: 'alerts', count: 100 - taken },
      { type: 'message', data: 'the next' },
    ]);
    rig.clock.advance(1000);
    await vi.waitFor(() => expect(slow.all('missed').at(-1)).toMatchObject({ transport: 'audit', count: 1 }));
    rig.clock.advance(1000);
    rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'the end');
    await vi.waitFor(() => expect(slow.all('message').at(-1)?.data).toBe('the end'));
    expect(slow.all('missed')).toHaveLength(2);
    expect(quick.all('missed')).toEqual([]);
  });

  test('a consumer whose transport messages stay unread is disconnected', async () => {
    const rig = await FeedRig.open();
    const peer = await openLivePeer(rig, { topics: [], transports: ['alerts'] });
    peer.socket.pause();
    const [socket] = rig.sockets;
    for (let seconds = 0; seconds < 40; seconds++) {
      for (let count = 0; count < 20; count++) rig.hub.publish('alerts', DEFAULT_NAMESPACE, 'x'.repeat(256 * 1024));
      rig.clock.advance(1000);
    }
    expect(socket?.readyState).not.toBe(socket?.OPEN);
  });
});

test.each([
  { name: 'text that is not JSON', frame: '{', message: 'WebSocket frames must contain valid JSON' },
  { name: 'an unknown topic', frame: '{"type":"subscribe","topics":["everything"]}', message: /topics\.0/ },
  {
    name: 'no topic',
    frame: '{"type":"subscribe","topics":[]}',
    message: 'topics: must contain a topic, unless transports are selected',
  },
  { name: 'no transport', frame: '{"type":"subscribe","topics":[],"transports":[]}', message: /topics/ },
  {
    name: 'too many transports',
    frame: JSON.stringify({ type: 'subscribe', topics: [], transports: Array.from({ length: 101 }, String) }),
    message: /transports/,
  },
  {
    name: 'a filter that does not parse',
    frame: '{"type":"subscribe","topics":["events"],"filter":"status="}',
    message: /^filter: .+ \(at character \d+\)$/,
  },
  {
    name: 'a filter by age',
    frame: '{"type":"subscribe","topics":["events"],"filter":"age>1h"}',
    message: 'filter: age and last cannot be used in filters of the live feed',
  },
  {
    name: 'a filter of clients by a field that changes with time',
    frame: '{"type":"subscribe","topics":["clients"],"filters":{"clients":"keepalive>5m"}}',
    message: 'filters.clients: keepalive cannot be used in filters of the live feed',
  },
  {
    name: 'a filter of silences by their state',
    frame: '{"type":"subscribe","topics":["silenced"],"filters":{"silenced":"state=active"}}',
    message: 'filters.silenced: state and left and age cannot be used in filters of the live feed',
  },
  { name: 'an unknown attribute', frame: '{"type":"ping","more":1}', message: /more/ },
])('a consumer that sends $name gets an error that ends the connection', async ({ frame, message }) => {
  const rig = await FeedRig.open();
  const peer = await FeedPeer.connect(rig.url);
  peer.sayText(frame);
  const error = await peer.hears('error');
  expect(error.code).toBe('invalid');
  expect(error.message).toMatch(message);
  expect(await peer.ends()).toEqual({ code: 1008, reason: 'invalid' });
});

test('a second subscription on one feed connection is rejected', async () => {
  const rig = await FeedRig.open();
  const peer = await openLivePeer(rig);
  peer.say({ type: 'subscribe', topics: ['clients'] });
  expect((await peer.hears('error')).message).toBe(
    'this connection already has a feed subscription: open another connection for a second one',
  );
});
