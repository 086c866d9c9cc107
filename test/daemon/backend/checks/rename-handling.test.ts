import { describe, expect, test } from 'vitest';
import { CheckRenamer } from '../../../../daemon/backend/checks/rename.ts';
import { feedEventRow } from '../../../../daemon/backend/model/events/feed-rows.ts';
import { groupsOf } from '../../../../daemon/backend/model/notify/groups/state.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass, takeNotifications, type GroupRig } from '../../../support/group-rig.ts';

const PIPE = { type: 'pipe', command: 'true' };
/** A critical event of a check that matches `switch` inhibits the events of checks that match `disk`, on any client. */
const INHIBITIONS = { switch: { source: 'check~switch status=crit', target: 'check~disk', equal: [] } };

function rename(rig: GroupRig, from = 'disk', to = 'disk-usage'): Promise<number> {
  return new CheckRenamer(rig).rename(DEFAULT_NAMESPACE, { from, to, isForced: true });
}

const switchIs = (rig: GroupRig, status: number): Promise<void> =>
  rig.report(status, { source: 'sw-a', name: 'switch', handlers: [] });

describe('a silence of the old name of a renamed check', () => {
  test('a renamed event is notified at once if no silence covers its new name', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE } });
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
    await rig.report(2);
    expect(await takeNotifications(rig)).toEqual([]);
    await rename(rig);
    expect(await takeNotifications(rig)).toEqual(['web-1/disk-usage create']);
    await rig.report(2, { name: 'disk-usage' });
    expect(rig.takeJobs().map(({ event }) => event.silence_ended)).toEqual([undefined]);
  });
});

describe('two events of one client that a rename joins', () => {
  test('an event joined by a rename notifies its resolution if one of the two events was notified', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE }, inhibitions: INHIBITIONS });
    await rig.report(2);
    expect(await takeNotifications(rig)).toEqual(['web-1/disk create']);
    await switchIs(rig, 2);
    await rig.report(2, { name: 'disk-usage' });
    await rename(rig);
    await rig.report(0, { name: 'disk-usage' });
    expect(await takeNotifications(rig)).toEqual(['web-1/disk-usage resolve']);
  });

  test('an event joined by a rename does not notify its resolution if neither event was notified', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE }, inhibitions: INHIBITIONS });
    await switchIs(rig, 2);
    await rig.report(2);
    await rig.report(2, { name: 'disk-usage' });
    await rename(rig);
    await rig.report(0, { name: 'disk-usage' });
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('an event joined by a rename stays pending for each handler that an inhibition of either event suppressed', async () => {
    const filtered = { ...PIPE, filter: 'occurrences' };
    const rig = await openGroupRig({ handlers: { default: filtered, other: filtered }, inhibitions: INHIBITIONS });
    const rare = { interval: 60, refresh: 3600 };
    await switchIs(rig, 2);
    await rig.report(2, rare);
    await rig.report(2, { ...rare, name: 'disk-usage', handlers: ['other'] });
    await rename(rig);
    await switchIs(rig, 0);
    await rig.report(2, { ...rare, name: 'disk-usage', handlers: ['default', 'other'] });
    expect(rig.takeJobs().map(({ handler, event }) => [handler, event.inhibition_ended])).toEqual([
      ['default', true],
      ['other', true],
    ]);
  });
});

test('an event that its group does not notify because of an inhibition is not pending after a rename', async () => {
  const rig = await openGroupRig({ handlers: { default: groupingPipe() }, inhibitions: INHIBITIONS });
  await rig.report(2);
  await switchIs(rig, 2);
  await pass(rig, 31);
  const [group] = groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).all();
  expect(group?.pendingSinceMs).toBeUndefined();
  await rename(rig);
  expect(group?.pendingSinceMs).toBeUndefined();
});

test('a pending resolution is notified under the new name after a rename onto a deleted event', async () => {
  const rig = await openGroupRig({ handlers: { default: groupingPipe() } });
  await rig.report(2, { name: 'disk-usage' });
  await rig.report(2);
  await pass(rig, 31);
  await takeNotifications(rig);
  await rig.report(0, { name: 'disk-usage' });
  await rig.report(0, { handle: false });
  await rig.results.remove(DEFAULT_NAMESPACE, 'web-1', 'disk-usage');
  await rename(rig);
  await pass(rig, 300);
  expect(await takeNotifications(rig)).toEqual(['web-1/disk-usage resolved']);
});

describe('a renamed source of an inhibition', () => {
  test('an inhibited event shows the new name of its source after a rename', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE }, inhibitions: INHIBITIONS });
    const shown = (): unknown => {
      const entry = rig.entry();
      return entry && feedEventRow(entry, rig.clock.now())?.inhibited_by;
    };
    await switchIs(rig, 2);
    await rig.report(2);
    await rename(rig, 'switch', 'switch-ping');
    expect(shown()).toEqual({ rule: 'switch', client: 'sw-a', check: 'switch-ping' });
  });
});
