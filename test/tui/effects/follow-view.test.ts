import { expect, test, vi } from 'vitest';
import type { GroupRow } from '../../../shared/schemas/grouping.ts';
import { openRig, type ConsoleRig, type RigOptions } from '../../support/console-rig.ts';
import { FEED_HELLO, type FeedConnection } from '../../support/feed-server.ts';

const NOW = FEED_HELLO.time / 1000;

function aGroup(rack: string, more: Partial<GroupRow> = {}): GroupRow {
  const by = { 'client.rack': rack };
  const times = { notified_at: null, due_at: NOW + 24 };
  return {
    namespace: 'default',
    handler: 'pager',
    id: rack,
    by,
    firing: 3,
    pending: 2,
    worst: 'critical',
    ...times,
    ...more,
  };
}

/** A console with a backend that sends the group of the rack `fra` to every connection that watches groups. */
class FollowingRig {
  readonly rig: ConsoleRig;
  /** The feed connections that subscribed to groups or inhibitions, in order. */
  readonly looks: readonly FeedConnection[];
  #seq = 1;

  private constructor(rig: ConsoleRig, looks: readonly FeedConnection[]) {
    this.rig = rig;
    this.looks = looks;
  }

  static async open(options: RigOptions = {}): Promise<FollowingRig> {
    const looks: FeedConnection[] = [];
    const rig = await openRig({
      snapshot: { events: {} },
      noise: (connection, { topics }) => {
        looks.push(connection);
        const rows = topics[0] === 'groups' ? { groups: { fra: aGroup('fra') } } : { inhibitions: {} };
        connection.send({ type: 'snapshot', seq: 1, rows }, { type: 'live', seq: 1 });
      },
      ...options,
    });
    return new FollowingRig(rig, looks);
  }

  sendRow(row: GroupRow): void {
    this.#seq += 1;
    const rows = { groups: { [row.id ?? '']: row } };
    this.looks.at(-1)?.send({ type: 'changes', seq: this.#seq, time: this.rig.clock.now(), rows });
  }

  /** The number of API requests for groups or inhibitions. */
  get requestCount(): number {
    return this.rig.requests.filter(({ path }) => /handler-groups|inhibitions/.test(path)).length;
  }
}

test('the view of groups follows the feed while it is shown and sends no requests', async () => {
  const following = await FollowingRig.open();
  const { rig, looks } = following;
  expect(looks).toHaveLength(0);
  rig.type(':groups\r');
  await rig.shows(/pager +client.rack=fra +✗ CRIT 3 +2/);
  expect(await looks[0]?.subscribed()).toEqual({ type: 'subscribe', topics: ['groups'] });
  following.sendRow(aGroup('fra', { firing: 9 }));
  await rig.shows('✗ CRIT 9');
  following.sendRow(aGroup('ams', { worst: 'warning' }));
  await rig.shows('client.rack=ams', '! WARN 3');
  for (let second = 0; second < 6; second++) await rig.pass(1000);
  expect(following.requestCount).toBe(0);
  rig.type(':events\r');
  await vi.waitFor(async () => {
    await rig.pass(100);
    expect(looks[0]?.isOpen).toBe(false);
  });
  rig.type(':inhibitions\r');
  await rig.shows('No inhibition');
  expect(await looks[1]?.subscribed()).toMatchObject({ topics: ['inhibitions'] });
});

test('the list of groups stands still while the feed is paused and is current afterwards', async () => {
  const following = await FollowingRig.open();
  const { rig } = following;
  rig.type(':groups\r');
  await rig.shows('✗ CRIT 3');
  rig.type('p');
  await rig.shows('PAUSED');
  following.sendRow(aGroup('fra', { firing: 9 }));
  for (let round = 0; round < 4; round++) await rig.pass(500);
  expect(rig.screen.text).toContain('✗ CRIT 3');
  rig.type('p');
  await rig.shows('✗ CRIT 9');
});

test('the list of groups that is opened during a pause shows the state of that time', async () => {
  const following = await FollowingRig.open();
  const { rig } = following;
  rig.type('p');
  await rig.shows('PAUSED');
  rig.type(':groups\r');
  await rig.shows('✗ CRIT 3');
  following.sendRow(aGroup('fra', { firing: 9 }));
  for (let round = 0; round < 4; round++) await rig.pass(500);
  expect(rig.screen.text).toContain('✗ CRIT 3');
});

test('the list of groups keeps its rows when its feed is lost, shows their age, and resumes by itself', async () => {
  const following = await FollowingRig.open();
  const { rig, looks } = following;
  rig.type(':groups\r');
  await rig.shows('✗ CRIT 3');
  looks[0]?.cut();
  await rig.shows('as of', '✗ CRIT 3');
  await vi.waitFor(async () => {
    await rig.pass(500);
    expect(looks).toHaveLength(2);
  });
  await rig.showsNo('as of');
  following.sendRow(aGroup('fra', { firing: 9 }));
  await rig.shows('✗ CRIT 9');
});

function ofBefore({ path }: { readonly path: string }): { readonly status: number; readonly body?: unknown } {
  return path === '/api/mon/v1/handler-groups' ? { status: 200, body: [aGroup('old')] } : { status: 404 };
}

test('a backend whose feed does not know groups is polled every two seconds', async () => {
  const rig = await openRig({ snapshot: { events: {} }, api: ofBefore });
  rig.type(':groups\r');
  await rig.shows('client.rack=old');
  const asked = rig.requests.length;
  await rig.pass(2000);
  await vi.waitFor(async () => {
    await rig.pass(100);
    expect(rig.requests.length).toBeGreaterThan(asked);
  });
});

test('the list of groups contains the groups of all namespaces when the console shows all namespaces', async () => {
  const following = await FollowingRig.open({ parts: { namespace: '*' } });
  const { rig, looks } = following;
  rig.type(':groups\r');
  await rig.shows('NAMESPACE', 'client.rack=fra');
  expect(await looks[0]?.subscribed()).toMatchObject({ namespace: '*' });
});
