import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFeed } from '../../../shared/client/feed-client.ts';
import type { Feed, FeedListener, FeedOptions } from '../../../shared/client/feed-client.ts';
import { FEED_FRAME_BYTES_MAX } from '../../../shared/client/feed-link.ts';
import type { FeedRequest } from '../../../shared/schemas/feed-request.ts';
import { eventColumns } from '../../../shared/domain/event-columns.ts';
import type { EventRow, FeedRows } from '../../../shared/schemas/feed.ts';
import { FeedRecorder } from '../../support/feed-recorder.ts';
import { aSilencedRow, anEventRow } from '../../support/feed-rows.ts';
import { FEED_HELLO, startFeedServer } from '../../support/feed-server.ts';
import type { FeedConnection, FeedServer, FeedServerOptions } from '../../support/feed-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { deadUrl } from '../../support/scripted-server.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const A = 'web-001/http-frontend';
const B = 'web-002/http-frontend';
const rowA = anEventRow();
const rowB = anEventRow({ client: 'web-002' });

interface Rig {
  readonly server: FeedServer;
  readonly clock: ManualClock;
  readonly recorder: FeedRecorder;
  readonly feed: Feed;
}

async function rig(server: FeedServerOptions = {}, options: Partial<FeedOptions> = {}): Promise<Rig> {
  const started = await startFeedServer(server);
  return { server: started, ...follow({ backend: started.url, ...options }) };
}

function follow(options: Partial<FeedOptions> & { readonly backend: string }): Omit<Rig, 'server'> {
  const clock = new ManualClock();
  const recorder = new FeedRecorder();
  const feed = openFeed({ topics: ['events'], clock, random: () => 0, ...options }, recorder);
  onTestFinished(() => feed.close());
  return { clock, recorder, feed };
}

function paces({ received }: FeedConnection): readonly FeedRequest[] {
  return received.filter(({ type }) => type === 'pace');
}

/** Opens a feed that is live at sequence number 10 with the row `A`. */
async function liveRig(options: Partial<FeedOptions> = {}): Promise<Rig> {
  const all = await rig({}, options);
  const connection = await all.server.connection(0);
  await connection.subscribed();
  connection.send({ type: 'snapshot', seq: 10, rows: { events: { [A]: rowA } } }, { type: 'live', seq: 10 });
  await all.recorder.reaches('live');
  return all;
}

test('a feed client receives a snapshot in several frames, then changes', async () => {
  const { server, recorder, feed } = await rig({}, { topics: ['events', 'silenced'], filter: 'status=crit' });
  const connection = await server.connection(0);
  expect(await connection.subscribed()).toEqual({
    type: 'subscribe',
    topics: ['events', 'silenced'],
    filter: 'status=crit',
  });

  connection.send({ type: 'snapshot', seq: 7, rows: { events: { [A]: rowA } } });
  connection.send({ type: 'snapshot', seq: 7, rows: { silenced: { 'web:*': aSilencedRow({ id: 'web:*' }) } } });
  await vi.waitFor(() => expect(recorder.rows).toHaveLength(2));
  expect([recorder.path, feed.seq]).toEqual(['connecting syncing', 0]);
  connection.send({ type: 'live', seq: 7 });
  await recorder.reaches('live');
  expect(feed.seq).toBe(7);

  connection.send({ type: 'changes', seq: 9, time: 1234, rows: { events: { [A]: null, [B]: rowB } } });
  await vi.waitFor(() => expect(feed.seq).toBe(9));

  expect(recorder.hellos).toEqual([FEED_HELLO]);
  expect(recorder.rows.map(({ about }) => about)).toEqual([
    { seq: 7, replace: true, timeMs: undefined },
    { seq: 7, replace: false, timeMs: undefined },
    { seq: 9, replace: false, timeMs: 1234 },
  ]);
  expect([...recorder.replica.events.keys(), ...recorder.replica.silenced.keys()]).toEqual([B, 'web:*']);
});

async function columnsRig(
  hello = FEED_HELLO,
): Promise<{ server: FeedServer; events: EventRow[]; recorder: FeedRecorder }> {
  const server = await startFeedServer({ hello });
  const events: EventRow[] = [];
  const recorder = new FeedRecorder();
  const listener: FeedListener = {
    onState: (state) => recorder.onState(state),
    onRows: (rows, about) => recorder.onRows(rows, about),
    onStats: () => undefined,
    onSnapshotEvents: (rows) => void events.push(...rows),
  };
  const feed = openFeed({ backend: server.url, topics: ['events'], clock: new ManualClock() }, listener);
  onTestFinished(() => feed.close());
  return { server, events, recorder };
}

describe('events of a snapshot in columns', () => {
  test('the feed client passes on event columns after the other rows of the same frame', async () => {
    const { server, events, recorder } = await columnsRig();
    const connection = await server.connection(0);
    expect(await connection.subscribed()).toEqual({ type: 'subscribe', topics: ['events'], columns: true });
    connection.send({ type: 'snapshot', seq: 10, rows: { events: { [A]: rowA } } }, { type: 'live', seq: 10 });
    await recorder.reaches('live');
    expect(recorder.rows).toEqual([{ rows: {}, about: { seq: 10, replace: true, timeMs: undefined } }]);
    expect(events).toEqual([rowA]);
  });

  test('the feed client requests no event columns from a backend that does not support event columns', async () => {
    const { columns: _, ...hello } = FEED_HELLO;
    const { server, events, recorder } = await columnsRig(hello);
    const connection = await server.connection(0);
    expect(await connection.subscribed()).toEqual({ type: 'subscribe', topics: ['events'] });
    connection.send({ type: 'snapshot', seq: 10, rows: { events: { [A]: rowA } } }, { type: 'live', seq: 10 });
    await recorder.reaches('live');
    expect([events, [...recorder.replica.events.values()]]).toEqual([[], [rowA]]);
  });

  test('the feed client closes the connection when event columns differ in length', async () => {
    const { server, events, recorder } = await columnsRig();
    const connection = await server.connection(0);
    await connection.subscribed();
    const columns = { events: { ...eventColumns([rowA, rowB]), status: [2], last: [] } };
    connection.sendRaw(JSON.stringify({ type: 'snapshot', seq: 10, rows: {}, columns }));
    expect((await recorder.reaches('waiting')).reason).toBe(
      'the backend violated the protocol: its columns do not match each other',
    );
    expect(events).toEqual([]);
  });
});

test('an empty snapshot clears the rows of the feed client', async () => {
  const { server, recorder, feed } = await liveRig();
  feed.resync();
  const connection = await server.connection(1);
  await connection.subscribed();
  connection.send({ type: 'live', seq: 12 });
  await recorder.reaches('live');
  expect([recorder.replica.events.size, feed.seq]).toEqual([0, 12]);
});

test('the feed client passes on statistics', async () => {
  const { server, recorder } = await liveRig();
  const stats = { results: { ok: 1, warning: 2, critical: 3, unknown: 4 }, clients: 5, rate: 6.5, queue: 7 };
  (await server.connection(0)).send({ type: 'stats', time: 1, stats });
  await vi.waitFor(() => expect(recorder.stats).toEqual([stats]));
});

test('the feed client passes on messages of transport handlers, with or without rows in the same connection', async () => {
  const { server, recorder } = await rig({}, { topics: [], transports: ['alerts'] });
  const connection = await server.connection(0);
  expect(await connection.subscribed()).toEqual({ type: 'subscribe', topics: [], transports: ['alerts'] });
  const piece = { type: 'message', transport: 'alerts', time: 1, data: '{"id":1}' } as const;
  const gap = { type: 'missed', transport: 'alerts', time: 2, count: 3 } as const;
  connection.send(piece, { type: 'live', seq: 4 }, gap);
  await vi.waitFor(() => expect(recorder.transports).toEqual([piece, gap]));
  expect(recorder.path).toBe('connecting syncing live');
});

test('the feed client requests the same transports again after a lost connection', async () => {
  const { server, clock, recorder } = await liveRig({ transports: ['alerts'] });
  (await server.connection(0)).cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  expect(await (await server.connection(1)).subscribed()).toMatchObject({ transports: ['alerts'], since: 10 });
});

test('the feed client waits after a lost connection, then resumes and keeps its rows', async () => {
  const { server, clock, recorder, feed } = await liveRig();
  (await server.connection(0)).cut();
  expect(await recorder.reaches('waiting')).toMatchObject({
    attempt: 2,
    retryAtMs: clock.now() + 500,
    reason: expect.stringContaining('closed the connection'),
  });
  expect(recorder.replica.events.size).toBe(1);

  clock.advance(500);
  const second = await server.connection(1);
  expect(await second.subscribed()).toEqual({ type: 'subscribe', topics: ['events'], since: 10, store: 'store-1' });
  second.send({ type: 'changes', seq: 12, time: 1, rows: { events: { [B]: rowB } } }, { type: 'live', seq: 12 });
  await recorder.reaches('live');
  expect(recorder.path).toBe('connecting syncing live waiting connecting syncing live');
  expect([[...recorder.replica.events.keys()], feed.seq]).toEqual([[A, B], 12]);
});

test('a feed connection that is lost while it catches up resumes from the position before the catch-up', async () => {
  const { server, clock, recorder } = await liveRig();
  (await server.connection(0)).cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  const second = await server.connection(1);
  await second.subscribed();
  second.send({ type: 'changes', seq: 12, time: 1, rows: { events: { [B]: rowB } } });
  await vi.waitFor(() => expect(recorder.replica.events.size).toBe(2));
  second.cut();
  await recorder.reaches('waiting');
  clock.advance(1000);
  expect(await (await server.connection(2)).subscribed()).toMatchObject({ since: 10 });
});

test('a feed connection that is lost during a snapshot requests the snapshot again', async () => {
  const { server, clock, recorder } = await liveRig();
  const first = await server.connection(0);
  first.send({ type: 'reset', reason: 'too slow' });
  first.send({ type: 'snapshot', seq: 20, rows: { events: { [B]: rowB } } });
  await vi.waitFor(() => expect([...recorder.replica.events.keys()]).toEqual([B]));
  first.cut();
  await recorder.reaches('waiting');
  clock.advance(1000);
  const second = await server.connection(1);
  expect(await second.subscribed()).toEqual({ type: 'subscribe', topics: ['events'] });
  second.send({ type: 'snapshot', seq: 21, rows: { events: { [A]: rowA } } }, { type: 'live', seq: 21 });
  await recorder.reaches('live');
  expect([...recorder.replica.events.keys()]).toEqual([A]);
});

test('a backend that cannot resume sends a reset, and its snapshot replaces all rows of the feed client', async () => {
  const { server, clock, recorder } = await liveRig();
  (await server.connection(0)).cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  const second = await server.connection(1);
  await second.subscribed();
  second.send({ type: 'reset', reason: 'sequence 10 is no longer kept' });
  second.send({ type: 'snapshot', seq: 99, rows: { events: { [B]: rowB } } }, { type: 'live', seq: 99 });
  await recorder.reaches('live');
  expect([...recorder.replica.events.keys()]).toEqual([B]);
});

/** Opens a feed that was live until its connection was cut, and that has reconnected but received nothing yet. */
async function connectedAgain() {
  const server = await startFeedServer({ hello: null });
  const { clock, recorder } = follow({ backend: server.url });
  const first = await server.connection(0);
  first.send(FEED_HELLO, { type: 'live', seq: 10 });
  await recorder.reaches('live');
  first.cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  return { second: await server.connection(1), recorder };
}

test('the feed client rejects changes of another store', async () => {
  const { second, recorder } = await connectedAgain();
  second.send({ ...FEED_HELLO, store: 'store-2' }, { type: 'changes', seq: 11, time: 1, rows: {} });
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: expect.stringContaining('instead of a snapshot') });
});

test('a feed client requests a new snapshot when the backend has another store', async () => {
  const { second, recorder } = await connectedAgain();
  second.send({ ...FEED_HELLO, store: 'store-2' });
  expect(await second.subscribed()).toEqual({ type: 'subscribe', topics: ['events'] });
  second.send({ type: 'snapshot', seq: 3, rows: { events: { [B]: rowB } } }, { type: 'live', seq: 3 });
  await recorder.reaches('live');
  expect([...recorder.replica.events.keys()]).toEqual([B]);
});

const UPGRADE = {
  id: 1,
  revision: 1,
  from: '6.4.0',
  to: '6.5.0',
  state: 'open',
  verdict: 'pass',
  holder: null,
  step: { number: 1, total: 2, title: 'Look', state: 'pending' },
};

test('the feed client passes on rows of upgrade plans with or without a current step', async () => {
  const { server, recorder } = await liveRig();
  const connection = await server.connection(0);
  connection.sendRaw(
    JSON.stringify({
      type: 'changes',
      seq: 11,
      time: 1,
      rows: { upgrades: { 1: UPGRADE, 2: { ...UPGRADE, step: null } } },
    }),
  );
  await vi.waitFor(() => expect(recorder.replica.upgrades.get('2')).toEqual({ ...UPGRADE, step: null }));
  expect(recorder.replica.upgrades.get('1')).toEqual(UPGRADE);
});

test.each<{ name: string; frames: string[]; reason: RegExp }>([
  { name: 'text that is not JSON', frames: ['{'], reason: /not JSON/ },
  { name: 'an array', frames: ['[]'], reason: /malformed frame: frame/ },
  { name: 'no message type', frames: ['{}'], reason: /malformed frame: type/ },
  {
    name: 'a sequence that is not a number',
    frames: ['{"type":"changes","seq":"1","time":1,"rows":{}}'],
    reason: /seq/,
  },
  { name: 'rows that are an array', frames: ['{"type":"changes","seq":11,"time":1,"rows":[]}'], reason: /rows/ },
  {
    name: 'a row without its output',
    frames: [JSON.stringify({ type: 'changes', seq: 11, time: 1, rows: { events: { [A]: { ...rowA, output: 7 } } } })],
    reason: /rows\.events\["web-001\/http-frontend"\]/,
  },
  {
    name: 'an upgrade plan in an unknown state',
    frames: [
      JSON.stringify({ type: 'changes', seq: 11, time: 1, rows: { upgrades: { 1: { ...UPGRADE, state: 'odd' } } } }),
    ],
    reason: /rows\.upgrades\["1"\]/,
  },
  {
    name: 'a plan step without a title',
    frames: [
      JSON.stringify({ type: 'changes', seq: 11, time: 1, rows: { upgrades: { 1: { ...UPGRADE, step: {} } } } }),
    ],
    reason: /rows\.upgrades\["1"\]/,
  },
  { name: 'a message without a transport', frames: ['{"type":"message","time":1,"data":""}'], reason: /transport/ },
  {
    name: 'a missed count that is not a number',
    frames: ['{"type":"missed","transport":"a","time":1,"count":"many"}'],
    reason: /count/,
  },
  { name: 'a sequence that goes back', frames: ['{"type":"changes","seq":9,"time":1,"rows":{}}'], reason: /went back/ },
  { name: 'a snapshot without a reset', frames: ['{"type":"snapshot","seq":11,"rows":{}}'], reason: /without a reset/ },
  { name: 'a second live message', frames: ['{"type":"live","seq":11}'], reason: /live twice/ },
  { name: 'a second hello message', frames: [JSON.stringify(FEED_HELLO)], reason: /hello twice/ },
])('a frame with $name makes the feed client reconnect and say why', async ({ frames, reason }) => {
  const { server, recorder } = await liveRig();
  const connection = await server.connection(0);
  for (const frame of frames) connection.sendRaw(frame);
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: expect.stringMatching(reason) });
});

test('a binary frame and an oversized frame make the feed client reconnect', async () => {
  const { server, clock, recorder, feed } = await liveRig();
  (await server.connection(0)).sendRaw(Buffer.from('{"type":"ping"}'));
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: expect.stringContaining('not text') });
  clock.advance(500);
  (await server.connection(1)).sendRaw(' '.repeat(FEED_FRAME_BYTES_MAX + 1));
  await vi.waitFor(() => expect(recorder.path).toMatch(/waiting connecting syncing waiting$/));
  expect(feed.seq).toBe(10);
});

test('a feed client ignores message types and fields that a newer backend adds', async () => {
  const { server, recorder } = await liveRig();
  const connection = await server.connection(0);
  connection.sendRaw('{"type":"weather","sun":true}');
  connection.send({ type: 'changes', seq: 11, time: 1, rows: { events: { [B]: rowB } } });
  await vi.waitFor(() => expect(recorder.replica.events.size).toBe(2));
  expect(recorder.path).toBe('connecting syncing live');
});

test('the feed client requests its update rate when the rate changes and after each reconnect', async () => {
  const { server, clock, recorder, feed } = await rig({ hello: { ...FEED_HELLO, pace: true } });
  feed.setPace({ ms: 1000 });
  const first = await server.connection(0);
  await vi.waitFor(() => expect(paces(first)).toEqual([{ type: 'pace', ms: 1000 }]));
  feed.setPace({ ms: 1000 });
  feed.setPace({ ms: 0 });
  await vi.waitFor(() => expect(paces(first).at(-1)).toEqual({ type: 'pace', ms: 0 }));
  expect(paces(first)).toHaveLength(2);
  feed.setPace({ ms: 500 });
  first.cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  const second = await server.connection(1);
  await vi.waitFor(() => expect(paces(second)).toEqual([{ type: 'pace', ms: 500 }]));
  expect(recorder.path).not.toContain('refused');
});

test('the feed client requests brief events if the backend supports them, and passes them on', async () => {
  const { server, clock, recorder, feed } = await rig({ hello: { ...FEED_HELLO, pace: true, brief: true } });
  feed.setPace({ ms: 1000, full: [A] });
  const first = await server.connection(0);
  await vi.waitFor(() => expect(paces(first)).toEqual([{ type: 'pace', ms: 1000, full: [A] }]));
  feed.setPace({ ms: 1000, full: [A] });
  feed.setPace({ ms: 1000, full: [B] });
  await vi.waitFor(() => expect(paces(first).at(-1)).toEqual({ type: 'pace', ms: 1000, full: [B] }));
  expect(paces(first)).toHaveLength(2);
  first.send({ type: 'snapshot', seq: 7, rows: { events: { [A]: rowA } } }, { type: 'live', seq: 7 });
  const brief = { events: { [A]: { status: 1, action: 'flapping', since: 9, silenced_by: [] } } } as const;
  first.send({ type: 'changes', seq: 7, time: 1234, rows: { events: {} }, brief });
  await vi.waitFor(() => expect(recorder.rows.at(-1)?.about).toEqual({ seq: 7, replace: false, timeMs: 1234, brief }));
  expect(feed.seq).toBe(7);
  first.cut();
  await recorder.reaches('waiting');
  clock.advance(500);
  const second = await server.connection(1);
  await vi.waitFor(() => expect(paces(second)).toEqual([{ type: 'pace', ms: 1000, full: [B] }]));
});

test('a backend that supports update rates but no brief events gets no request for brief events', async () => {
  const { server, feed } = await rig({ hello: { ...FEED_HELLO, pace: true } });
  feed.setPace({ ms: 1000, full: [A] });
  const connection = await server.connection(0);
  await vi.waitFor(() => expect(paces(connection)).toEqual([{ type: 'pace', ms: 1000 }]));
});

test('a backend that does not support update rates gets no request for an update rate', async () => {
  const { server, recorder, feed } = await liveRig();
  feed.setPace({ ms: 1000 });
  const connection = await server.connection(0);
  connection.send({ type: 'ping' });
  await vi.waitFor(() => expect(connection.received.at(-1)).toEqual({ type: 'pong' }));
  expect(connection.received.map(({ type }) => type)).toEqual(['subscribe', 'pong']);
  expect(recorder.path).toBe('connecting syncing live');
});

test('the feed client responds to pings', async () => {
  const { server } = await liveRig();
  const connection = await server.connection(0);
  connection.send({ type: 'ping' });
  await vi.waitFor(() => expect(connection.received.at(-1)).toEqual({ type: 'pong' }));
});

test('the feed client pings an idle connection and keeps the connection while pings are answered', async () => {
  const { server, clock, recorder } = await liveRig();
  const connection = await server.connection(0);
  const pings = (): number => connection.received.filter(({ type }) => type === 'ping').length;
  for (let heartbeat = 1; heartbeat <= 4; heartbeat += 1) {
    clock.advance(5000);
    await vi.waitFor(() => expect(pings()).toBe(heartbeat));
    // Any frame counts as a response, so the next ping is due 5 s after this one.
    connection.send({ type: 'changes', seq: 10 + heartbeat, time: 1, rows: {} });
    await vi.waitFor(() => expect(recorder.rows).toHaveLength(1 + heartbeat));
  }
  expect(recorder.path).toBe('connecting syncing live');
});

test('two pings without a response make the feed client reconnect', async () => {
  const { server, clock, recorder } = await rig({ answerPings: false });
  const connection = await server.connection(0);
  connection.send({ type: 'live', seq: 1 });
  await recorder.reaches('live');
  clock.advance(14_999);
  expect(recorder.path).toBe('connecting syncing live');
  clock.advance(1);
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: `no heartbeat from ${server.url} for 15 s` });
  await vi.waitFor(() => expect(connection.isOpen).toBe(false));
  expect(connection.received.filter(({ type }) => type === 'ping')).toHaveLength(2);
});

test('the feed client abandons a connection on which the server sends nothing', async () => {
  const { clock, recorder } = await rig({ hello: null, answerPings: false });
  await recorder.reaches('syncing');
  clock.advance(15_000);
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: expect.stringContaining('no heartbeat') });
});

test('the feed client reports a closed port and retries with growing pauses', async () => {
  const url = await deadUrl();
  const { clock, recorder } = follow({ backend: url.replace('//', '//alice:secret@'), random: () => 1 });
  const pauses: number[] = [];
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    const waiting = await recorder.reaches('waiting');
    expect(waiting).toMatchObject({ attempt, reason: expect.stringContaining(`${url}: nothing listens there`) });
    pauses.push(waiting.retryAtMs - clock.now());
    clock.advance(waiting.retryAtMs - clock.now());
    expect(recorder.states.at(-1)).toEqual({ kind: 'connecting', attempt });
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(JSON.stringify(recorder.states)).not.toContain('secret');
});

test.each([
  { status: 401, code: 'unauthenticated', message: /set MON_API_KEY/ },
  { status: 403, code: 'forbidden', message: /does not allow the live feed/ },
  { status: 404, code: 'not_found', message: /has no live feed/ },
  { status: 426, code: 'version', message: /same release/ },
])(
  'a feed connection that is rejected with HTTP status $status is reported and retried slowly',
  async ({ status, code, message }) => {
    const server = await startFeedServer();
    server.refuse(status);
    const { clock, recorder } = follow({ backend: server.url });
    expect(await recorder.reaches('refused')).toMatchObject({ code, message: expect.stringMatching(message) });
    clock.advance(29_999);
    expect(server.attempts).toBe(1);
    clock.advance(1);
    await vi.waitFor(() => expect(recorder.states).toHaveLength(3));
    expect([server.attempts, recorder.path]).toEqual([2, 'connecting refused refused']);

    server.refuse(undefined);
    clock.advance(30_000);
    (await server.connection(0)).send({ type: 'live', seq: 1 });
    await recorder.reaches('live');
    expect(recorder.path).toBe('connecting refused refused syncing live');
  },
);

test('a feed connection that is rejected with HTTP status 503 is retried as a temporary failure', async () => {
  const server = await startFeedServer();
  server.refuse(503);
  const { recorder } = follow({ backend: server.url });
  expect(await recorder.reaches('waiting')).toMatchObject({ reason: `${server.url} answered HTTP 503` });
});

test.each([
  { code: 'invalid', message: 'the filter is wrong at 3: a value is missing', kind: 'refused' },
  { code: 'unavailable', message: 'the backend is stopping', kind: 'waiting' },
] as const)('the error $code before the end of a feed connection is reported as $kind', async ({ kind, ...error }) => {
  const { server, recorder } = await rig();
  (await server.connection(0)).send({ type: 'error', ...error });
  const state = await recorder.reaches(kind);
  expect(JSON.stringify(state)).toContain(error.message);
});

test('reconnect() retries at once and resumes, and resync() requests a new snapshot', async () => {
  const { server, recorder, feed } = await liveRig();
  (await server.connection(0)).cut();
  await recorder.reaches('waiting');
  feed.reconnect();
  expect(await (await server.connection(1)).subscribed()).toMatchObject({ since: 10 });
  feed.resync();
  expect(await (await server.connection(2)).subscribed()).not.toHaveProperty('since');
  expect(recorder.path).toBe('connecting syncing live waiting connecting syncing connecting syncing');
});

test('the feed client sends credentials as a header of the handshake and never in the URL', async () => {
  const server = await startFeedServer();
  follow({ backend: server.url.replace('//', '//alice:secret@'), headers: { 'x-request-id': 'r1' } });
  const { headers } = await server.connection(0);
  expect([headers.authorization, headers['x-request-id'], headers['sec-websocket-protocol']]).toEqual([
    `Basic ${btoa('alice:secret')}`,
    'r1',
    'mon.feed.v1',
  ]);
});

test('a closed feed client ignores all input and leaves no timer', async () => {
  const { server, clock, recorder, feed } = await liveRig();
  const connection = await server.connection(0);
  connection.send({ type: 'changes', seq: 11, time: 1, rows: {} });
  feed.close();
  feed.reconnect();
  await vi.waitFor(() => expect(connection.isOpen).toBe(false));
  clock.advance(60_000);
  expect([recorder.path, server.attempts, clock.pending]).toEqual(['connecting syncing live', 1, 0]);
});

test('a feed client that is closed before it started reports nothing', async () => {
  const server = await startFeedServer();
  const { feed, recorder } = follow({ backend: server.url });
  feed.close();
  await new Promise(setImmediate);
  expect([recorder.states, server.attempts]).toEqual([[], 0]);
});

test('a listener may close the feed client at any time', async () => {
  const server = await startFeedServer();
  const states: string[] = [];
  const feed = openFeed(
    { backend: server.url, topics: ['events'], clock: new ManualClock() },
    {
      onState: ({ kind }) => void states.push(kind),
      onRows: () => feed.close(),
      onStats: () => undefined,
    },
  );
  const connection = await server.connection(0);
  connection.send({ type: 'live', seq: 1 });
  await vi.waitFor(() => expect(connection.isOpen).toBe(false));
  expect(states).toEqual(['connecting', 'syncing']);
});

test('a feed client ends up live with the state of the backend after any sequence of frames and failures', async () => {
  const frame = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 50 }),
    fc
      .record(
        {
          type: fc.constantFrom(
            'hello',
            'snapshot',
            'live',
            'changes',
            'reset',
            'stats',
            'message',
            'missed',
            'error',
            'ping',
            'pong',
            'x',
          ),
          seq: fc.oneof(fc.nat(30), fc.jsonValue()),
          time: fc.oneof(fc.nat(), fc.jsonValue()),
          rows: fc.oneof(
            fc.constant({}),
            fc.constant({ events: { [B]: rowB } }),
            fc.constant({ events: { [A]: null } }),
            fc.dictionary(fc.constantFrom('events', 'silenced', 'clients', '__proto__'), fc.jsonValue()),
          ),
          code: fc.oneof(fc.string(), fc.jsonValue()),
          message: fc.oneof(fc.string(), fc.jsonValue()),
          reason: fc.string(),
        },
        { requiredKeys: ['type'] },
      )
      .map((value) => JSON.stringify(value)),
  );
  const truth: FeedRows = { events: { [A]: rowA } };
  const { server, recorder, feed } = await liveRig();
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 5 }), async (frames) => {
      const connection = await server.connection(server.connections.length - 1);
      for (const text of frames) connection.sendRaw(text);
      // From here on the backend behaves correctly, whether or not these frames closed the connection.
      const index = server.connections.length;
      feed.resync();
      const next = await server.connection(index);
      await next.subscribed();
      next.send({ type: 'snapshot', seq: 10, rows: truth }, { type: 'live', seq: 10 });
      await recorder.reaches('live');
      expect(Object.fromEntries(recorder.replica.events)).toEqual(truth.events);
    }),
    { numRuns: propertyRuns(25) },
  );
});
