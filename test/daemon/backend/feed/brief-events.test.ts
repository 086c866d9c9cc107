import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { FeedRig } from '../../../support/feed-rig.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const CLIENTS = ['web-1', 'web-2', 'web-3'];
const KEYS = CLIENTS.map((client) => `${client}/disk`);

const result = (source: string, status = 2, output = 'full'): SubmittedResult => ({
  source,
  name: 'disk',
  output,
  status,
});

async function openLivePeer(rig: FeedRig, about: Parameters<typeof FeedPeer.subscribe>[1] = {}): Promise<FeedPeer> {
  const peer = await FeedPeer.subscribe(rig.url, about);
  await rig.until(() => expect(peer.all('live')).toHaveLength(1));
  return peer;
}

/** Selects the events that the peer gets in full, and waits until the backend has processed the request. */
async function requestFullEvents(peer: FeedPeer, full: readonly string[] | undefined): Promise<void> {
  peer.say({ type: 'pace', ms: 0, ...(full && { full: [...full] }) });
  const pongs = peer.all('pong').length;
  peer.say({ type: 'ping' });
  await expect.poll(() => peer.all('pong').length, { interval: 2 }).toBe(pongs + 1);
}

/** Lets the feed send some frames, and waits until all their messages have arrived. */
async function waitForFrames(rig: FeedRig, ...peers: readonly FeedPeer[]): Promise<void> {
  for (let frame = 0; frame < 4; frame++) rig.clock.advance(50);
  await Promise.all(
    peers.map(async (peer) => {
      const pongs = peer.all('pong').length;
      peer.say({ type: 'ping' });
      await expect.poll(() => peer.all('pong').length, { interval: 2 }).toBe(pongs + 1);
    }),
  );
}

const eventsOfReplica = (peer: FeedPeer): unknown => Object.fromEntries(peer.replica.events);

/** Returns each event as the peer knows it: its full row, changed by later brief rows. */
function knownEvents(peer: FeedPeer): Record<string, object> {
  const events = new Map<string, object>();
  for (const message of peer.heard) {
    if (message.type !== 'snapshot' && message.type !== 'changes') continue;
    for (const [key, row] of Object.entries(message.rows.events ?? {})) {
      if (row === null) events.delete(key);
      else events.set(key, row);
    }
    if (message.type !== 'changes') continue;
    for (const [key, brief] of Object.entries(message.brief?.events ?? {})) {
      events.set(key, { ...events.get(key), ...brief });
    }
  }
  return Object.fromEntries(
    Array.from(events, ([key, event]) => {
      const { status, action, since, silenced_by } = event as Record<string, unknown>;
      return [key, { status, action, since, silenced_by }];
    }),
  );
}

describe('a feed consumer that requests only some events in full', () => {
  test('the hello of the feed says that a consumer may request brief events', async () => {
    const rig = await FeedRig.open();
    expect(await (await openLivePeer(rig)).hears('hello')).toMatchObject({ brief: true });
  });

  test('a consumer gets events that it did not select in brief, and keeps its old sequence number', async () => {
    const rig = await FeedRig.open();
    await rig.submit(CLIENTS.map((client) => result(client)));
    const peer = await openLivePeer(rig);
    await requestFullEvents(peer, ['web-1/disk']);
    await rig.submit([result('web-1', 1, 'less'), result('web-2', 1, 'less')]);
    await waitForFrames(rig, peer);
    const [message] = peer.all('changes');
    expect(message).toMatchObject({ seq: 1, rows: { events: { 'web-1/disk': { status: 1, output: 'less' } } } });
    expect(Object.keys(message?.rows.events ?? {})).toEqual(['web-1/disk']);
    const since = Math.floor(rig.clock.now() / 1000);
    expect(message?.brief).toEqual({
      events: { 'web-2/disk': { status: 1, action: 'create', since, silenced_by: [] } },
    });
  });

  test('a consumer gets brief events in full as soon as it selects them, whatever pace it has requested', async () => {
    const rig = await FeedRig.open();
    await rig.submit(CLIENTS.map((client) => result(client)));
    const peer = await openLivePeer(rig);
    await requestFullEvents(peer, []);
    await rig.submit([result('web-1', 1, 'less'), result('web-2', 1, 'less')]);
    await waitForFrames(rig, peer);
    peer.say({ type: 'pace', ms: 10_000, full: ['web-2/disk'] });
    await rig.until(() => expect(peer.replica.events.get('web-2/disk')).toMatchObject({ output: 'less' }));
    expect(peer.replica.events.get('web-1/disk')).toMatchObject({ output: 'full' });
    expect(peer.all('changes').map(({ seq }) => seq)).toEqual([1, 1]);
    peer.say({ type: 'pace', ms: 10_000 });
    await rig.until(() => expect(peer.replica.events.get('web-1/disk')).toMatchObject({ output: 'less' }));
    expect(peer.all('changes').map(({ seq }) => seq)).toEqual([1, 1, 2]);
  });

  test('the resolution of an event is sent in full even if the consumer gets the event in brief', async () => {
    const rig = await FeedRig.open();
    await rig.submit([result('web-1')]);
    const peer = await openLivePeer(rig);
    await requestFullEvents(peer, []);
    await rig.submit([result('web-1', 1)]);
    await waitForFrames(rig, peer);
    await rig.submit([result('web-1', 0)]);
    await waitForFrames(rig, peer);
    expect([eventsOfReplica(peer), peer.all('changes').at(-1)?.seq]).toEqual([{}, 3]);
  });

  test('a consumer that reconnects gets all events in full', async () => {
    const rig = await FeedRig.open();
    await rig.submit(CLIENTS.map((client) => result(client)));
    const peer = await openLivePeer(rig);
    await requestFullEvents(peer, []);
    await rig.submit([result('web-1', 1, 'less')]);
    await waitForFrames(rig, peer);
    const since = peer.all('changes').at(-1)?.seq ?? 0;
    peer.socket.terminate();
    const again = await FeedPeer.subscribe(rig.url, { since, store: rig.store.id });
    await rig.until(() => expect(again.all('live')).toHaveLength(1));
    expect(again.replica.events.get('web-1/disk')).toMatchObject({ status: 1, output: 'less' });
  });
});

/** Cuts and resumes the connection of `fickle`, which must then have the same rows as `steady`. */
async function cutAndResumed(
  rig: FeedRig,
  { steady, fickle, about }: { readonly steady: FeedPeer; readonly fickle: FeedPeer; readonly about: object },
): Promise<void> {
  await waitForFrames(rig, steady, fickle);
  expect(knownEvents(fickle)).toEqual(knownEvents(steady));
  const since = Math.max(...[...fickle.all('live'), ...fickle.all('changes')].map(({ seq }) => seq));
  fickle.socket.terminate();
  const again = await FeedPeer.subscribe(rig.url, { ...about, since, store: rig.store.id });
  for (const [key, row] of fickle.replica.events) again.replica.events.set(key, row);
  await rig.until(() => expect(again.all('live')).toHaveLength(1));
  expect(eventsOfReplica(again)).toEqual(eventsOfReplica(steady));
  again.socket.terminate();
}

test('a consumer that changes its selection at random ends with the same rows as a consumer of all full events', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('result' as const),
      client: fc.constantFrom(...CLIENTS),
      status: fc.nat({ max: 2 }),
    }),
    fc.record({ kind: fc.constant('silence' as const), client: fc.constantFrom(...CLIENTS) }),
    fc.record({ kind: fc.constant('want' as const), full: fc.option(fc.subarray(KEYS), { nil: undefined }) }),
    fc.record({ kind: fc.constant('cut' as const) }),
    fc.record({ kind: fc.constant('frame' as const) }),
  );
  const rig = await FeedRig.open();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), fc.nat({ max: 1 }), async (steps, many) => {
      const about = many === 1 ? { namespace: '*' } : {};
      const keys = many === 1 ? (key: string) => `${DEFAULT_NAMESPACE}/${key}` : (key: string) => key;
      const [steady, first] = [await openLivePeer(rig, about), await openLivePeer(rig, about)];
      let fickle = first;
      for (const [place, next] of steps.entries()) {
        if (next.kind === 'result') await rig.submit([result(next.client, next.status, `at ${String(place)}`)]);
        else if (next.kind === 'silence') {
          await rig.silenced.create(DEFAULT_NAMESPACE, {
            subscription: `client:${next.client}`,
            reason: String(place),
          });
        } else if (next.kind === 'want') await requestFullEvents(fickle, next.full?.map(keys));
        else if (next.kind === 'frame') rig.clock.advance(50);
        else {
          await cutAndResumed(rig, { steady, fickle, about });
          fickle = await openLivePeer(rig, about);
        }
      }
      await waitForFrames(rig, steady, fickle);
      expect(knownEvents(fickle)).toEqual(knownEvents(steady));
      await requestFullEvents(fickle, undefined);
      await waitForFrames(rig, steady, fickle);
      expect(eventsOfReplica(fickle)).toEqual(eventsOfReplica(steady));
      expect(fickle.all('changes').at(-1)?.seq ?? 0).toBeLessThanOrEqual(steady.all('changes').at(-1)?.seq ?? 0);
      for (const peer of [steady, fickle]) peer.socket.terminate();
    }),
    { numRuns: propertyRuns(15) },
  );
});
