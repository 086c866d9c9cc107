import { describe, expect, test } from 'vitest';
import { CheckRenamer } from '../../../../../daemon/backend/checks/rename.ts';
import {
  GROUP_MEMBERS_MAX,
  GROUPS_PER_HANDLER_MAX,
} from '../../../../../daemon/backend/model/notify/groups/mutations.ts';
import { groupsOf } from '../../../../../daemon/backend/model/notify/groups/state.ts';
import { shiftedTimes } from '../../../../../daemon/backend/model/registry/shift-times.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import {
  groupCount,
  groupingPipe,
  openGroupRig,
  pass,
  settled,
  takeNotifications,
  type GroupRig,
} from '../../../../support/group-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** Returns `count` client names, such as `m-0001` and `m-0002` for the name `m`. */
function numberedNames(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}-${String(at + 1).padStart(4, '0')}`);
}

const GROUPING = { handlers: { default: groupingPipe() } };

async function openRacks(
  sections: Parameters<typeof openGroupRig>[0] = GROUPING,
  options: Parameters<typeof openGroupRig>[1] = {},
): Promise<GroupRig> {
  const rig = await openGroupRig(sections, options);
  for (const [name, rack] of [
    ['a-1', 'a'],
    ['a-2', 'a'],
    ['b-1', 'b'],
  ] as const) {
    await rig.clients.put(DEFAULT_NAMESPACE, { name, address: 'x', rack });
  }
  return rig;
}

describe('a handler with group_by', () => {
  test('a group is flushed when its first event has been pending for group_wait', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 10);
    await rig.report(1, { source: 'a-2' });
    await rig.report(2, { source: 'b-1' });
    expect(await takeNotifications(rig)).toEqual([]);
    await pass(rig, 20);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new, a-2/disk new']);
    await pass(rig, 10);
    expect(await takeNotifications(rig)).toEqual(['b-1/disk new']);
  });

  test('a group with changed events is flushed again after group_interval, with its unchanged events', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'a-2' });
    await pass(rig, 299);
    expect(await takeNotifications(rig)).toEqual([]);
    await pass(rig, 1);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk new, a-1/disk same']);
    await rig.report(1, { source: 'a-1' });
    await rig.report(0, { source: 'a-2' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk changed, a-2/disk resolved']);
    await rig.report(0, { source: 'a-1' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolved']);
    expect(groupCount(rig)).toBe(0);
  });

  test('a group whose events do not change is notified again after repeat_interval', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ repeat_interval: 600 }) } });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await pass(rig, 599);
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual([]);
    await pass(rig, 1);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk same']);
  });

  test('a group with repeat_interval: 0 is notified only once while its events do not change', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ repeat_interval: 0 }) } });
    await rig.report(2, { source: 'a-1' });
    for (let hour = 0; hour < 10; hour++) await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  });

  test('a group whose only problem resolves before the first flush sends no notification', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await rig.report(0, { source: 'a-1' });
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
    expect(groupCount(rig)).toBe(0);
  });

  test('a group notifies the resolution of a problem that was notified before the handler had group_by', async () => {
    const rig = await openRacks({ handlers: { default: { type: 'pipe', command: 'true' } } });
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
    rig.reload(GROUPING);
    await rig.report(0, { source: 'a-1' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolved']);
  });

  test('a group notification contains at most group_limit events and the number of omitted events', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ group_limit: 1, repeat_interval: 600 }) } });
    await rig.report(1, { source: 'a-1' });
    await rig.report(2, { source: 'a-2' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk new, 1 omitted']);
    await pass(rig, 600);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk same, 1 omitted']);
  });

  test('a group notification does not contain an event that was deleted before the flush', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'a-2' });
    await rig.clients.remove(DEFAULT_NAMESPACE, 'a-2', { expireSeconds: undefined });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  });

  test('an event that moves to another group by its attributes is not notified again in that group', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
    await rig.clients.put(DEFAULT_NAMESPACE, { name: 'a-1', address: 'x', rack: 'c' });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 600);
    expect(await takeNotifications(rig)).toEqual([]);
    expect(groupCount(rig)).toBe(1);
  });
});

describe('silences of grouped events', () => {
  test('a pending event is not notified while a silence by search covers it', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'a-2' });
    await rig.silenced.create(DEFAULT_NAMESPACE, { selector: 'client=a-1' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk new']);
  });

  test('a pending event is not notified while it is silenced, and is notified when the silence ends', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  });

  test('a repeated group notification omits silenced events, which are notified again when the silence ends', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ repeat_interval: 600 }) } });
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'a-2' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:a-1' });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 600);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk same']);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { subscription: 'client:a-1' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk changed, a-2/disk same']);
  });
});

/** Returns a rig whose group has a notified event and an event with a pending notification. */
const openWithPendingEvent = async (): Promise<GroupRig> => {
  const rig = await openRacks();
  await rig.report(2, { source: 'a-1' });
  await pass(rig, 30);
  expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  await rig.report(2, { source: 'a-2' });
  return rig;
};

describe('a reload while an event is pending', () => {
  test('a reload that removes group_by notifies each pending event in a notification of its own, and none twice', async () => {
    const rig = await openWithPendingEvent();
    rig.reload({ handlers: { default: { type: 'pipe', command: 'true' } } });
    await pass(rig, 0);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk create']);
    expect(groupCount(rig)).toBe(0);
  });

  test('a reload that removes a handler turns its pending group notifications into jobs, which become dead letters', async () => {
    const rig = await openWithPendingEvent();
    rig.reload({ handlers: {} });
    await pass(rig, 0);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk create']);
    expect(groupCount(rig)).toBe(0);
  });

  test('a reload that changes group_by moves events to new groups with the record of what was notified', async () => {
    const rig = await openWithPendingEvent();
    rig.reload({ handlers: { default: groupingPipe({ group_by: ['check'] }) } });
    await pass(rig, 0);
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk new, a-1/disk same']);
    expect(groupCount(rig)).toBe(1);
  });

  test('a reload that changes the times of a group applies them at once', async () => {
    const rig = await openWithPendingEvent();
    rig.reload({ handlers: { default: groupingPipe({ group_wait: 0, group_interval: 1 }) } });
    await pass(rig, 1);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk new, a-1/disk same']);
  });
});

function renameCheck(rig: GroupRig, { isForced = false } = {}): Promise<number> {
  return new CheckRenamer(rig).rename(DEFAULT_NAMESPACE, { from: 'disk', to: 'disk-usage', isForced });
}

describe('a renamed check', () => {
  test('a pending event of a renamed check is notified under the new name at the same time', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 20);
    await renameCheck(rig);
    await pass(rig, 10);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage new']);
    await rig.report(2, { source: 'a-1', name: 'disk-usage' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual([]);
    await rig.report(0, { source: 'a-1', name: 'disk-usage' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage resolved']);
    expect(groupCount(rig)).toBe(0);
  });

  test('an event that its group has notified is not notified again after its check is renamed', async () => {
    const rig = await openWithPendingEvent();
    await renameCheck(rig);
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-2/disk-usage new, a-1/disk-usage same']);
    expect(groupCount(rig)).toBe(1);
  });

  test('a group still knows after a rename and a restart that it has notified the renamed event', async () => {
    const dir = await tempDir();
    const first = await openRacks(GROUPING, { dir });
    await first.report(2, { source: 'a-1' });
    await pass(first, 30);
    await takeNotifications(first);
    await first.report(2, { source: 'a-2' });
    await renameCheck(first);
    await first.stop();
    const second = await openGroupRig(GROUPING, { dir, clock: first.clock });
    await pass(second, 300);
    expect(await takeNotifications(second)).toEqual(['a-2/disk-usage new, a-1/disk-usage same']);
  });

  test('a pending resolution of a renamed check is notified under the new name', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.report(0, { source: 'a-1' });
    await renameCheck(rig);
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage resolved']);
  });

  test('an event of a renamed check moves to the group of the new name with the times of the old group', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ group_by: ['check'] }) } });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.report(1, { source: 'a-1' });
    await renameCheck(rig);
    expect(groupCount(rig)).toBe(1);
    await pass(rig, 299);
    expect(await takeNotifications(rig)).toEqual([]);
    await pass(rig, 1);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage changed']);
  });

  test('two events of one group that a rename joins are notified once', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'a-1', name: 'disk-usage' });
    await renameCheck(rig, { isForced: true });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage new']);
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('an event joined by a rename keeps the record that its new name was notified', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ repeat_interval: 600 }) } });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
    await rig.report(1, { source: 'a-1', name: 'disk-usage' });
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage new, a-1/disk same']);
    await renameCheck(rig, { isForced: true });
    await pass(rig, 600);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage same']);
  });

  test('an event of a renamed check whose new group is full is notified in a notification of its own', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ group_by: ['check'] }) } });
    const names = numberedNames('m', GROUP_MEMBERS_MAX);
    const full = names.map((source) => ({ name: 'disk-usage', output: 'x', source, status: 2 }));
    await rig.results.submit(DEFAULT_NAMESPACE, full);
    await rig.report(2, { source: 'a-1' });
    await renameCheck(rig);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk-usage new']);
    await pass(rig, 30);
    expect((await takeNotifications(rig)).join()).not.toContain('a-1');
  });
});

test.each([{ handlers: ['default'] }, { handlers: ['other'] }, { handlers: [] }])(
  'an OK result that leaves its metric event open does not change the group: handlers $handlers',
  async ({ handlers }) => {
    const rig = await openRacks({ handlers: { default: groupingPipe(), other: { type: 'pipe', command: 'true' } } });
    const lasting = { source: 'a-1', type: 'metric', auto_resolve: false };
    await rig.report(2, lasting);
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
    await rig.report(0, { ...lasting, handlers });
    rig.takeJobs();
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual([]);
    await rig.report(1, lasting);
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk changed']);
  },
);

test('a pending event whose check is OK but does not resolve is notified at the flush', async () => {
  const rig = await openRacks({ handlers: { default: groupingPipe() } });
  const lasting = { source: 'a-1', type: 'metric', auto_resolve: false };
  await rig.report(2, lasting);
  await rig.report(0, lasting);
  await pass(rig, 30);
  expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
});

describe('a resolution with other handlers than the problem', () => {
  const TWO = { handlers: { default: groupingPipe(), other: { type: 'pipe', command: 'true' } } };

  test.each(['other', 'nobody'])(
    'a resolution with another handler is still notified to the group that notified the problem: %s',
    async (name) => {
      const rig = await openRacks(TWO);
      await rig.report(2, { source: 'a-1' });
      await pass(rig, 30);
      await takeNotifications(rig);
      await rig.report(0, { source: 'a-1', handlers: name === 'nobody' ? [] : [name] });
      expect(await takeNotifications(rig)).toEqual(name === 'nobody' ? [] : ['a-1/disk resolve']);
      await pass(rig, 300);
      expect(await takeNotifications(rig)).toEqual(['a-1/disk resolved']);
      expect(groupCount(rig)).toBe(0);
    },
  );

  test('a resolution that another handler handles cancels the pending group notification of the problem', async () => {
    const rig = await openRacks(TWO);
    await rig.report(2, { source: 'a-1' });
    await rig.report(0, { source: 'a-1', handlers: ['other'] });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolve']);
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
    expect(groupCount(rig)).toBe(0);
  });

  test('a silenced resolution that another handler handles is not notified to the group of the problem', async () => {
    const rig = await openRacks(TWO);
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
    await rig.report(0, { source: 'a-1', handlers: ['other'] });
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('a resolution with handle: false is not notified to the group of the problem', async () => {
    const rig = await openRacks(TWO);
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 30);
    await takeNotifications(rig);
    await rig.report(0, { source: 'a-1', handlers: ['other'], handle: false });
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
  });
});

describe('delivery under failures', () => {
  test('a restarted backend continues the groups of the previous run', async () => {
    const dir = await tempDir();
    const first = await openRacks(GROUPING, { dir });
    await first.report(2, { source: 'a-1' });
    await pass(first, 30);
    expect(await takeNotifications(first)).toEqual(['a-1/disk new']);
    await first.report(1, { source: 'a-1' });
    await first.report(2, { source: 'a-2' });
    await first.stop();
    const second = await openGroupRig(GROUPING, { dir, clock: first.clock });
    await pass(second, 299);
    expect(await takeNotifications(second)).toEqual([]);
    await pass(second, 1);
    expect(await takeNotifications(second)).toEqual(['a-2/disk new, a-1/disk changed']);
    await second.report(0, { source: 'a-1' });
    await second.report(0, { source: 'a-2' });
    await pass(second, 300);
    await second.stop();
    const third = await openGroupRig(GROUPING, { dir, clock: first.clock });
    expect(groupCount(third)).toBe(0);
    for (const prefix of ['handler-group', 'handler-group-event', 'handler-group-told']) {
      for await (const [key] of third.store.scan([prefix])) expect.fail(key.join());
    }
  });

  test('a group notification whose write the store rejected is sent once after a retry', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await settled(rig);
    rig.store.refuses = () => true;
    rig.clock.advance(30_000);
    await rig.batcher.run(() => undefined).catch(() => undefined);
    rig.store.refuses = () => false;
    rig.clock.advance(5000);
    await expect.poll(async () => (await takeNotifications(rig)).join()).toBe('a-1/disk new');
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('a group is not flushed while both the queue of its handler and the dead-letter queue are full', async () => {
    const full = new Set(['default']);
    const rig = await openRacks(GROUPING, { full });
    await rig.report(2, { source: 'a-1' });
    await pass(rig, 3600);
    expect(await takeNotifications(rig)).toEqual([]);
    full.clear();
    await pass(rig, 1);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  });

  test('a clock correction moves the flush times of groups', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await settled(rig);
    const [moved, ...others] = await shiftedTimes(rig.store, TABLES, { seconds: 3600, outageMs: 0 });
    expect(others).toEqual([]);
    expect(moved).toMatchObject({ type: 'put', key: ['handler-group', 'default', 'default', '[["client.rack","a"]]'] });
    const value = moved?.type === 'put' ? (JSON.parse(moved.value) as object) : {};
    expect(value).toEqual({ by: [['client.rack', 'a']], pending_since: rig.clock.now() + 3_600_000 });
  });

  test('a transient event, such as a registration, is notified once by its group', async () => {
    const rig = await openRacks({ handlers: { registration: groupingPipe() } });
    await rig.report(0, { source: 'new-1' });
    await rig.report(0, { source: 'new-2' });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['new-1/registration new, new-2/registration new']);
    await pass(rig, 20_000);
    expect(await takeNotifications(rig)).toEqual([]);
    expect(groupCount(rig)).toBe(0);
  });
});

test('an OK result without an event creates no group', async () => {
  const rig = await openRacks();
  await rig.report(0, { source: 'a-1', type: 'metric' });
  expect(groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).size).toBe(0);
  expect(await takeNotifications(rig)).toEqual([]);
});

test.each([
  { name: 'the latest events', quiet: 0, others: 2102, when: 'check=nothing', omitted: 2101 },
  { name: 'the events that are not inhibited', quiet: 4100, others: 52, when: 'check=switch', omitted: 51 },
])(
  'the notification of a group with more events than one read returns contains $name',
  async ({ quiet, others, when, omitted }) => {
    const rig = await openRacks({
      handlers: { default: groupingPipe({ group_by: [], group_limit: 2 }) },
      inhibitions: { quiet: { source: when, target: 'client~a-quiet', equal: [] } },
    });
    await rig.report(2, { source: 'z-sw', name: 'switch' });
    // The order is reversed, so that the names that sort first report last.
    const sources = [...numberedNames('a-quiet', quiet), ...numberedNames('m', others)].toReversed();
    const results = sources.map((source) => ({ name: 'disk', source, status: 2, output: 'full' }));
    await rig.results.submit(DEFAULT_NAMESPACE, results);
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual([`m-0001/disk new, m-0002/disk new, ${String(omitted)} omitted`]);
    await pass(rig, 300);
    expect(await takeNotifications(rig)).toEqual([]);
  },
);

test(
  'an event is notified in a notification of its own if a changed group_by creates too many groups',
  { tags: 'slow' },
  async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe({ group_by: [] }) } });
    const results = numberedNames('m', GROUPS_PER_HANDLER_MAX).map((source) => ({
      name: 'disk',
      source,
      status: 2,
      output: 'full',
    }));
    await rig.results.submit(DEFAULT_NAMESPACE, results);
    await settled(rig);
    rig.reload({ handlers: { default: groupingPipe({ group_by: ['client'] }) } });
    const notified = new Set<string>();
    for (let second = 0; second < 400 && notified.size < GROUPS_PER_HANDLER_MAX; second++) {
      await pass(rig, 1);
      for (const run of await takeNotifications(rig)) notified.add(run);
    }
    expect(notified.size).toBe(GROUPS_PER_HANDLER_MAX);
    expect([...notified].every((run) => run.endsWith('/disk new'))).toBe(true);
  },
);

test('an event whose new group is full is not notified with the group that it left', async () => {
  const rig = await openRacks({ handlers: { default: groupingPipe({ group_by: ['check.team'] }) } });
  const results = numberedNames('m', GROUP_MEMBERS_MAX).map((source) => ({
    name: 'disk',
    source,
    status: 2,
    output: 'full',
    team: 'b',
  }));
  await rig.results.submit(DEFAULT_NAMESPACE, results);
  await rig.report(2, { source: 'a-1', team: 'a' });
  await rig.report(2, { source: 'a-1', team: 'b' });
  expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  await pass(rig, 30);
  expect(await takeNotifications(rig)).toEqual([expect.stringMatching(/^m-0001\/disk new.*9900 omitted$/)]);
});
