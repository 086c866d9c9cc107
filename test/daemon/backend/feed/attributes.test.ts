import { describe, expect, onTestFinished, test } from 'vitest';
import { openFeed, type Feed } from '../../../../shared/client/feed-client.ts';
import { FeedReplica } from '../../../../shared/client/feed-replica.ts';
import { attributeTextOf } from '../../../../shared/domain/event-attributes.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { FeedRig } from '../../../support/feed-rig.ts';

const put = (rig: FeedRig, client: { readonly name: string; readonly [attribute: string]: unknown }): Promise<void> =>
  rig.clients.put(DEFAULT_NAMESPACE, { address: '10.0.0.1', ...client });

const fail = (rig: FeedRig, source: string, check: Readonly<Record<string, unknown>> = {}): Promise<void> =>
  rig.submit([{ source, name: 'disk', output: 'full', status: 2, ...check }]);

interface Followed {
  readonly replica: FeedReplica;
  readonly feed: Feed;
  isLive: boolean;
}

/** Follows the feed of events with their attributes, as the console does. */
async function follow(rig: FeedRig, about: { readonly namespace?: string } = {}): Promise<Followed> {
  const replica = new FeedReplica();
  const followed: Followed = {
    replica,
    isLive: false,
    feed: openFeed(
      { backend: rig.url, topics: ['events'], attributes: true, clock: rig.clock, ...about },
      {
        onState: ({ kind }) => {
          followed.isLive = kind === 'live';
        },
        onRows: (rows, metadata) => replica.apply(rows, metadata),
        onStats: () => undefined,
      },
    ),
  };
  onTestFinished(() => followed.feed.close());
  await rig.until(() => expect(followed.isLive).toBe(true));
  return followed;
}

const attribute = ({ replica }: Followed, key: string, name: string): string => {
  const row = replica.events.get(key);
  return row === undefined ? 'no event' : attributeTextOf(row, name);
};

describe('a feed with attributes', () => {
  test('events have the attributes of their client and their check, in a snapshot and after changes', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20', subscriptions: ['rack:r20'] });
    await fail(rig, 'web-1', { team: 'db' });
    const followed = await follow(rig);
    expect(attribute(followed, 'web-1/disk', 'client.rack')).toBe('r20');
    expect(attribute(followed, 'web-1/disk', 'check.team')).toBe('db');
    expect(attribute(followed, 'web-1/disk', 'subscriptions')).toBe('rack:r20');
    await put(rig, { name: 'web-1', rack: 'r21' });
    await rig.until(() => expect(attribute(followed, 'web-1/disk', 'client.rack')).toBe('r21'));
    await fail(rig, 'web-1', { team: 'net' });
    await rig.until(() => expect(attribute(followed, 'web-1/disk', 'check.team')).toBe('net'));
    await put(rig, { name: 'db-1', rack: 'r5' });
    await fail(rig, 'db-1');
    await rig.until(() => expect(attribute(followed, 'db-1/disk', 'rack')).toBe('r5'));
  });

  test('a consumer that reconnects resumes, and gets the attributes that changed meanwhile', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20' });
    await fail(rig, 'web-1');
    const followed = await follow(rig);
    rig.sockets[0]?.terminate();
    await rig.until(() => expect(followed.isLive).toBe(false));
    await put(rig, { name: 'web-1', rack: 'r21' });
    await rig.until(() => expect(attribute(followed, 'web-1/disk', 'rack')).toBe('r21'));
  });

  test('a feed of all namespaces has the attributes of each', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20' });
    await fail(rig, 'web-1');
    const followed = await follow(rig, { namespace: '*' });
    expect(attribute(followed, 'default/web-1/disk', 'rack')).toBe('r20');
  });

  test('clients with equal attributes share one set, and a set without users is removed', async () => {
    const rig = await FeedRig.open();
    for (const name of ['web-1', 'web-2']) await put(rig, { name, rack: 'r20', subscriptions: ['web'] });
    const peer = await FeedPeer.subscribe(rig.url, { topics: ['attributes', 'events'] });
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    const [snapshot] = peer.all('snapshot');
    const [id = ''] = Object.keys(snapshot?.rows.attributes ?? {});
    expect(snapshot?.rows.attributes).toEqual({
      [id]: {
        id,
        attributes: { keepalives: 'false', version: expect.any(String), subscriptions: ['web'], rack: 'r20' },
      },
    });
    for (const name of ['web-1', 'web-2']) await put(rig, { name, rack: 'r21', subscriptions: ['web'] });
    await rig.until(() => expect(peer.all('changes').map(({ rows }) => rows.attributes?.[id])).toContain(null));
    expect(rig.registry.namespace(DEFAULT_NAMESPACE).attributeSets.get(id)).toBeUndefined();
  });

  test('a keepalive that changes no attribute sends no attributes', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20' });
    const peer = await FeedPeer.subscribe(rig.url, { topics: ['attributes', 'clients'] });
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    rig.clock.advance(2000);
    await put(rig, { name: 'web-1', rack: 'r20' });
    await rig.until(() => expect(peer.all('changes')).not.toEqual([]));
    expect(peer.all('changes').flatMap(({ rows }) => Object.keys(rows.attributes ?? {}))).toEqual([]);
  });

  test('redacted attributes are not sent, also after the client extends its list of keys to redact', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', pin: 'c1234', password: 'c5678', rack: 'r20' });
    await fail(rig, 'web-1', { pin: 'k1234' });
    const followed = await follow(rig);
    expect(attribute(followed, 'web-1/disk', 'pin')).toBe('c1234, k1234');
    expect(attribute(followed, 'web-1/disk', 'password')).toBe('');
    await put(rig, { name: 'web-1', pin: 'c1234', rack: 'r20', redact: ['pin'] });
    await rig.until(() => expect(attribute(followed, 'web-1/disk', 'pin')).toBe(''));
    const peer = await FeedPeer.subscribe(rig.url, { topics: ['attributes', 'events', 'clients'] });
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    expect(JSON.stringify(peer.all('snapshot'))).not.toMatch(/1234|5678/);
  });

  test('a consumer that does not subscribe to attributes gets rows without them', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20' });
    await fail(rig, 'web-1', { team: 'db' });
    const peer = await FeedPeer.subscribe(rig.url);
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    expect(JSON.stringify(peer.all('snapshot'))).not.toMatch(/r20|team|_set/);
  });
});

const keysOf = (peer: FeedPeer): readonly string[] => [...peer.replica.events.keys()].toSorted();

describe('a filter on the feed of events', () => {
  test.each([
    ['client.rack=r20', ['web-1/disk']],
    ['subscription=rack:r21', ['web-2/disk']],
    ['check.team=db', ['web-1/disk', 'web-2/disk']],
    ['team=db rack!=r20', ['web-2/disk']],
    ['client.cores>=16', ['web-2/disk']],
  ])('selects events by attributes: %s', async (filter, expected) => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20', cores: 8, subscriptions: ['rack:r20'] });
    await put(rig, { name: 'web-2', rack: 'r21', cores: 16, subscriptions: ['rack:r21'] });
    for (const name of ['web-1', 'web-2']) await fail(rig, name, { team: 'db' });
    const peer = await FeedPeer.subscribe(rig.url, { filter });
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    expect(keysOf(peer)).toEqual(expected);
  });

  test('a client whose attribute changes adds its events to the filter, and removes them again', async () => {
    const rig = await FeedRig.open();
    await put(rig, { name: 'web-1', rack: 'r20' });
    await fail(rig, 'web-1');
    const peer = await FeedPeer.subscribe(rig.url, { filter: 'client.rack=r21' });
    await rig.until(() => expect(peer.all('live')).toHaveLength(1));
    expect(keysOf(peer)).toEqual([]);
    await put(rig, { name: 'web-1', rack: 'r21' });
    await rig.until(() => expect(keysOf(peer)).toEqual(['web-1/disk']));
    await put(rig, { name: 'web-1', rack: 'r22' });
    await rig.until(() => expect(keysOf(peer)).toEqual([]));
  });

  test('a secret attribute is rejected with the position of its name', async () => {
    const rig = await FeedRig.open();
    const peer = await FeedPeer.subscribe(rig.url, { filter: 'disk client.password=x' });
    await expect(peer.hears('error')).resolves.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('filter: client.password is secret and cannot be searched for'),
    });
  });
});
