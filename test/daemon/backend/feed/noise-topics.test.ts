import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LOCAL_ADMINISTRATOR, type Principal } from '../../../../daemon/backend/access/principal.ts';
import { EntityLimit } from '../../../../daemon/backend/model/clients/entity-limit.ts';
import { topicsOf } from '../../../../daemon/backend/compose/topics.ts';
import { ChangeLog } from '../../../../daemon/backend/feed/change-log.ts';
import { FeedHub } from '../../../../daemon/backend/feed/feed-hub.ts';
import { Namespaces } from '../../../../daemon/backend/namespaces/commands.ts';
import { formatGroupLabel } from '../../../../shared/domain/notify/group-key.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { FeedPeer } from '../../../support/feed-peer.ts';
import { serveFeed } from '../../../support/serve-feed.ts';
import { groupingPipe, openGroupRig, settled, type GroupRig } from '../../../support/group-rig.ts';

const INHIBITIONS = {
  switch: { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] },
};
const SECTIONS = { handlers: { default: groupingPipe() }, inhibitions: INHIBITIONS };

/** A backend with groups and inhibitions, and its feed. */
class NoiseRig {
  readonly rig: GroupRig;
  readonly #url: string;

  private constructor(rig: GroupRig, url: string) {
    this.rig = rig;
    this.#url = url;
  }

  static async open(principal: Principal = LOCAL_ADMINISTRATOR): Promise<NoiseRig> {
    const rig = await openGroupRig(SECTIONS);
    const { registry, batcher, clock, log, store, definitions } = rig;
    const changes = new ChangeLog({ recordsMax: 1000, changesMax: 10_000 });
    changes.startAfter(store.lastSeq('main'));
    batcher.commits.onCommit((commit) => changes.add(commit));
    const hub = new FeedHub({
      registry,
      batcher,
      topics: topicsOf(definitions),
      changes,
      clock,
      log,
      storeId: store.id,
      name: 'test',
      entityLimit: new EntityLimit(registry, () => 'unlimited'),
    });
    const url = await serveFeed(hub, (socket) => hub.accept(socket, principal));
    for (const [name, rack] of [
      ['sw-a', 'a'],
      ['a-1', 'a'],
      ['a-2', 'a'],
      ['b-1', 'b'],
    ] as const) {
      await rig.clients.put(DEFAULT_NAMESPACE, { name, address: 'x', rack });
    }
    return new NoiseRig(rig, url);
  }

  async openLivePeer(about: Parameters<typeof FeedPeer.subscribe>[1] = {}): Promise<FeedPeer> {
    const peer = await FeedPeer.subscribe(this.#url, { topics: ['groups', 'inhibitions'], ...about });
    onTestFinished(() => peer.socket.terminate());
    await this.until(() => waitForMessages(peer, 'live', 0));
    return peer;
  }

  /** Lets the feed send frames until `check` does not throw. */
  async until(check: () => void): Promise<void> {
    await vi.waitFor(() => {
      this.rig.clock.advance(50);
      check();
    });
  }

  /** Waits until all messages sent so far have arrived, including unexpected ones. */
  async rest(peer: FeedPeer): Promise<void> {
    const pongs = peer.all('pong').length;
    peer.say({ type: 'ping' });
    await this.until(() => waitForMessages(peer, 'pong', pongs));
  }

  /** Advances the clock in steps of four seconds. The peer sends a ping after each, so that it is not disconnected. */
  async pass(peer: FeedPeer, seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 4) {
      this.rig.clock.advance(4000);
      await settled(this.rig);
      await this.rest(peer);
    }
  }

  async switchIs(status: number): Promise<void> {
    await this.rig.report(status, { source: 'sw-a', name: 'switch' });
  }
}

function waitForMessages(peer: FeedPeer, type: 'live' | 'pong', count: number): void {
  if (peer.all(type).length <= count) throw new Error(`no ${type} yet`);
}

const groupsIn = ({ replica }: FeedPeer): string[] =>
  [...replica.groups.values()].map(
    ({ handler, by, firing, pending, worst }) =>
      `${handler} ${formatGroupLabel(Object.entries(by))}: ${String(firing)} ${String(worst)}, ${String(pending)} pending`,
  );

const rulesIn = ({ replica }: FeedPeer): string[] =>
  [...replica.inhibitions.values()].map(
    ({ name, inhibited, inhibitors }) =>
      `${name}: ${String(inhibited)} because of ${inhibitors.map((by) => `${by.client}/${by.check}`).join(' ')}`,
  );

describe('groups on the feed', () => {
  test('the feed sends each group with its counts, and every change until the group ends', async () => {
    const noise = await NoiseRig.open();
    const { rig } = noise;
    await rig.report(2, { source: 'a-1' });
    const peer = await noise.openLivePeer({ topics: ['groups'] });
    expect(groupsIn(peer)).toEqual(['default client.rack=a: 1 critical, 1 pending']);
    const [[id, row] = []] = [...peer.replica.groups];
    expect(row).toMatchObject({ id, namespace: DEFAULT_NAMESPACE, notified_at: null });
    await rig.report(1, { source: 'a-2' });
    await noise.until(() => expect(groupsIn(peer)).toEqual(['default client.rack=a: 2 critical, 2 pending']));
    await noise.pass(peer, 32);
    await noise.until(() => expect(groupsIn(peer)).toEqual(['default client.rack=a: 2 critical, 0 pending']));
    expect(peer.replica.groups.get(String(id))?.notified_at).not.toBeNull();
    await rig.report(0, { source: 'a-1' });
    await rig.report(0, { source: 'a-2' });
    await noise.until(() => expect(groupsIn(peer)).toEqual(['default client.rack=a: 0 ok, 2 pending']));
    await noise.pass(peer, 300);
    await noise.until(() => expect(groupsIn(peer)).toEqual([]));
    expect(peer.all('snapshot')).toHaveLength(1);
  });

  test('a commit with many events of one group sends only one row of the group', async () => {
    const noise = await NoiseRig.open();
    const peer = await noise.openLivePeer({ topics: ['groups'] });
    await noise.rig.results.submit(
      DEFAULT_NAMESPACE,
      ['a-1', 'a-2'].map((source) => ({ name: 'disk', output: 'full', source, status: 2 })),
    );
    await noise.until(() => expect(groupsIn(peer)).toEqual(['default client.rack=a: 2 critical, 2 pending']));
    expect(peer.all('changes').filter(({ rows }) => Object.keys(rows.groups ?? {}).length > 0)).toHaveLength(1);
  });

  test('the feed sends groups and inhibitions of the requested namespace, or of all namespaces with their names', async () => {
    const noise = await NoiseRig.open();
    const { rig } = noise;
    await new Namespaces(rig.batcher).put('team-a', () => undefined, { who: 'ops', from: null, how: 'test' });
    await rig.report(2, { source: 'a-1' });
    const [one, all] = [
      await noise.openLivePeer({ namespace: 'team-a' }),
      await noise.openLivePeer({ namespace: '*' }),
    ];
    await noise.switchIs(2);
    await noise.until(() => expect(rulesIn(all)).toEqual(['switch: 0 because of sw-a/switch']));
    expect(groupsIn(one)).toEqual([]);
    expect(rulesIn(one)).toEqual(['switch: 0 because of ']);
    const [[key, row] = []] = [...all.replica.groups];
    expect(key).toBe(`default/${String(row?.id)}`);
    expect(row?.namespace).toBe('default');
  });

  test('groups are sent again when a reload changes the times of their handler or the consumer reconnects', async () => {
    const noise = await NoiseRig.open();
    const { rig } = noise;
    await rig.report(2, { source: 'a-1' });
    const peer = await noise.openLivePeer({ topics: ['groups'] });
    const [before] = [...peer.replica.groups.values()];
    rig.reload(SECTIONS);
    await noise.rest(peer);
    expect(peer.all('reset')).toEqual([]);
    rig.reload({ ...SECTIONS, handlers: { default: groupingPipe({ group_wait: 90 }) } });
    await noise.until(() => expect(peer.all('live')).toHaveLength(2));
    const [after] = [...peer.replica.groups.values()];
    expect((after?.due_at ?? 0) - (before?.due_at ?? 0)).toBe(60);
    const again = await noise.openLivePeer({
      topics: ['groups'],
      since: rig.store.lastSeq('main'),
      store: rig.store.id,
    });
    expect(again.all('reset')).toHaveLength(1);
    expect(groupsIn(again)).toHaveLength(1);
  });

  test('a feed with a filter sends only groups and inhibitions that match', async () => {
    const noise = await NoiseRig.open();
    const { rig } = noise;
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'b-1' });
    const peer = await noise.openLivePeer({ filters: { groups: 'by=b', inhibitions: 'inhibited>0' } });
    expect(groupsIn(peer)).toEqual(['default client.rack=b: 1 critical, 1 pending']);
    expect(rulesIn(peer)).toEqual([]);
    await noise.switchIs(2);
    await rig.report(2, { source: 'a-2' });
    await noise.until(() => expect(rulesIn(peer)).toEqual(['switch: 1 because of sw-a/switch']));
    await noise.switchIs(0);
    await noise.until(() => expect(rulesIn(peer)).toEqual([]));
  });
});

describe('inhibitions on the feed', () => {
  test('the feed sends each inhibition rule with its number of inhibited events and its sources', async () => {
    const noise = await NoiseRig.open();
    const { rig } = noise;
    const peer = await noise.openLivePeer({ topics: ['inhibitions'] });
    expect(rulesIn(peer)).toEqual(['switch: 0 because of ']);
    await noise.switchIs(2);
    await noise.until(() => expect(rulesIn(peer)).toEqual(['switch: 0 because of sw-a/switch']));
    await rig.report(2, { source: 'a-1' });
    await noise.until(() => expect(rulesIn(peer)).toEqual(['switch: 1 because of sw-a/switch']));
    await noise.switchIs(0);
    await noise.until(() => expect(rulesIn(peer)).toEqual(['switch: 0 because of ']));
  });

  test('a reload that adds or removes inhibition rules sends the new list of rules on the feed', async () => {
    const noise = await NoiseRig.open();
    const peer = await noise.openLivePeer({ topics: ['inhibitions'] });
    noise.rig.reload({ ...SECTIONS, inhibitions: { other: INHIBITIONS.switch } });
    await noise.until(() => expect([...peer.replica.inhibitions.keys()]).toEqual(['other']));
  });

  test('a user limited to one namespace sees only the inhibitions in that namespace', async () => {
    const kept: Principal = { name: 'ada', scopes: new Set(['read']), via: 'key', namespace: 'team-a' };
    const noise = await NoiseRig.open(kept);
    await noise.switchIs(2);
    await noise.rig.report(2, { source: 'b-1' });
    const peer = await noise.openLivePeer({ namespace: '*' });
    expect(rulesIn(peer)).toEqual(['switch: 0 because of ']);
    expect(groupsIn(peer)).toEqual([]);
  });
});

test('a consumer that did not subscribe to groups and inhibitions gets no rows of them', async () => {
  const noise = await NoiseRig.open();
  const peer = await noise.openLivePeer({ topics: ['events'] });
  await noise.switchIs(2);
  await noise.rig.report(2, { source: 'a-1' });
  await noise.until(() => expect(peer.replica.events.size).toBe(2));
  expect(peer.all('changes').flatMap(({ rows }) => Object.keys(rows))).toEqual(peer.all('changes').map(() => 'events'));
});
