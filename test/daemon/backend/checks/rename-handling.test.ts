import { describe, expect, test } from 'vitest';
import { CheckNames } from '../../../../daemon/backend/checks/rename.ts';
import { feedEventRow } from '../../../../daemon/backend/model/events/feed-rows.ts';
import { groupsOf } from '../../../../daemon/backend/model/notify/groups/state.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass, takeTold, type GroupRig } from '../../../support/group-rig.ts';

const PIPE = { type: 'pipe', command: 'true' };
/** Whatever the disk of a client has keeps its other checks quiet. */
const INHIBITIONS = { switch: { source: 'check~switch status=crit', target: 'check~disk', equal: [] } };

function rename(rig: GroupRig, from = 'disk', to = 'disk-usage'): Promise<number> {
  return new CheckNames(rig).rename(DEFAULT_NAMESPACE, { from, to, isForced: true });
}

const switchIs = (rig: GroupRig, status: number): Promise<void> =>
  rig.report(status, { source: 'sw-a', name: 'switch', handlers: [] });

describe('a silence of the old name', () => {
  test('a renamed event is notified at once if the silence of its old name does not cover the new one', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE } });
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
    await rig.report(2);
    expect(await takeTold(rig)).toEqual([]);
    await rename(rig);
    expect(await takeTold(rig)).toEqual(['web-1/disk-usage create']);
    await rig.report(2, { name: 'disk-usage' });
    expect(rig.takeJobs().map(({ event }) => event.silence_ended)).toEqual([undefined]);
  });
});

describe('an event joined from both names', () => {
  test('an event joined by a rename resolves with a notification if one of the events was notified', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE }, inhibitions: INHIBITIONS });
    await rig.report(2);
    expect(await takeTold(rig)).toEqual(['web-1/disk create']);
    await switchIs(rig, 2);
    await rig.report(2, { name: 'disk-usage' });
    await rename(rig);
    await rig.report(0, { name: 'disk-usage' });
    expect(await takeTold(rig)).toEqual(['web-1/disk-usage resolve']);
  });

  test('an event joined by a rename resolves without a notification if neither event was notified', async () => {
    const rig = await openGroupRig({ handlers: { default: PIPE }, inhibitions: INHIBITIONS });
    await switchIs(rig, 2);
    await rig.report(2);
    await rig.report(2, { name: 'disk-usage' });
    await rename(rig);
    await rig.report(0, { name: 'disk-usage' });
    expect(await takeTold(rig)).toEqual([]);
  });

  test('a joined event has pending notifications for the handlers that an inhibition of either event suppressed', async () => {
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

test('an event that its group suppresses has no pending notification after a rename', async () => {
  const rig = await openGroupRig({ handlers: { default: groupingPipe() }, inhibitions: INHIBITIONS });
  await rig.report(2);
  await switchIs(rig, 2);
  await pass(rig, 31);
  const [group] = groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).all();
  expect(group?.pendingSinceMs).toBeUndefined();
  await rename(rig);
  expect(group?.pendingSinceMs).toBeUndefined();
});

test('a pending resolution is notified after a rename, even if the old name left another pending one', async () => {
  const rig = await openGroupRig({ handlers: { default: groupingPipe() } });
  await rig.report(2, { name: 'disk-usage' });
  await rig.report(2);
  await pass(rig, 31);
  await takeTold(rig);
  await rig.report(0, { name: 'disk-usage' });
  await rig.report(0, { handle: false });
  await rig.results.remove(DEFAULT_NAMESPACE, 'web-1', 'disk-usage');
  await rename(rig);
  await pass(rig, 300);
  expect(await takeTold(rig)).toEqual(['web-1/disk-usage resolved']);
});

describe('a renamed inhibition source', () => {
  test('an inhibited event shows the new name of its source', async () => {
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
