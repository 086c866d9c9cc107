import { describe, expect, test, vi } from 'vitest';
import {
  loggedInhibitorIfActive,
  inhibitorsOf,
  createEvaluatedInhibitionRules,
} from '../../../../../daemon/backend/model/notify/inhibitions/state.ts';
import { Namespaces } from '../../../../../daemon/backend/namespaces/commands.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass, takeNotifications, type GroupRig } from '../../../../support/group-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const PIPE = { type: 'pipe', command: 'true' };
const RULE = { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] };
const WITHOUT = { handlers: { default: PIPE } };
const WITH = { ...WITHOUT, inhibitions: { switch: RULE } };
/** A handler that notifies at the first occurrence, and again an hour later. */
const PAGED = { handlers: { default: { ...PIPE, filter: 'occurrences' } } };

async function openRacks(
  sections: Parameters<typeof openGroupRig>[0],
  options: Parameters<typeof openGroupRig>[1] = {},
): Promise<GroupRig> {
  const rig = await openGroupRig(sections, options);
  for (const [name, rack] of [
    ['sw-a', 'a'],
    ['a-1', 'a'],
    ['b-1', 'b'],
  ] as const) {
    await rig.clients.put(DEFAULT_NAMESPACE, { name, address: 'x', rack });
  }
  return rig;
}

const switchIs = (rig: GroupRig, status: number): Promise<void> =>
  rig.report(status, { source: 'sw-a', name: 'switch' });

const reportDisk = (rig: GroupRig, client = 'a-1', status = 2): Promise<void> =>
  rig.report(status, { source: client, interval: 60, refresh: 3600 });

/** Reloads the configuration, and waits until the new rules are applied to all open events. */
async function reload(rig: GroupRig, sections: Parameters<GroupRig['reload']>[0]): Promise<void> {
  rig.reload(sections);
  await applied(rig);
}

async function applied({ registry, definitions }: GroupRig): Promise<void> {
  await vi.waitFor(() =>
    expect(registry.state(createEvaluatedInhibitionRules).fingerprints).toEqual(
      definitions.inhibitions.map(({ fingerprint }) => fingerprint),
    ),
  );
}

const inhibitingRuleOf = (rig: GroupRig, client: string): string | undefined => {
  const entry = rig.entry(client);
  return entry && loggedInhibitorIfActive(entry)?.rule;
};

describe('a new inhibition rule', () => {
  test('a new inhibition rule applies to open events at once', async () => {
    const rig = await openRacks(WITHOUT);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await reportDisk(rig, 'b-1');
    await takeNotifications(rig);
    await reload(rig, WITH);
    expect([inhibitingRuleOf(rig, 'a-1'), inhibitingRuleOf(rig, 'b-1')]).toEqual(['switch', undefined]);
    await reportDisk(rig);
    await reportDisk(rig, 'b-1');
    expect(await takeNotifications(rig)).toEqual(['b-1/disk create']);
  });

  test('adding and removing an inhibition rule sends no notification for an event that was notified before', async () => {
    const rig = await openRacks(WITHOUT);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await takeNotifications(rig);
    await reload(rig, WITH);
    await reload(rig, WITHOUT);
    expect(await takeNotifications(rig)).toEqual([]);
    expect(inhibitingRuleOf(rig, 'a-1')).toBeUndefined();
  });

  test('a new inhibition rule suppresses events that are pending in a group', async () => {
    const rig = await openRacks({ handlers: { default: groupingPipe() } });
    await reportDisk(rig);
    await switchIs(rig, 2);
    await reload(rig, { handlers: { default: groupingPipe() }, inhibitions: { switch: RULE } });
    await pass(rig, 30);
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch new']);
  });

  test('a new inhibition rule applies in each namespace separately', async () => {
    const rig = await openRacks(WITHOUT);
    await new Namespaces(rig.batcher).put('prod', () => undefined, { who: 'ops', from: null, how: 'test' });
    await reportDisk(rig);
    await rig.clients.put('prod', { name: 'sw-a', address: 'x', rack: 'a' });
    await rig.results.submit('prod', [{ name: 'switch', output: '', source: 'sw-a', status: 2 }]);
    await reload(rig, WITH);
    expect(inhibitingRuleOf(rig, 'a-1')).toBeUndefined();
    expect(inhibitorsOf(rig.registry.namespace('prod')).size).toBe(1);
  });

  test('a new inhibition rule is applied to many events without delaying results', async () => {
    const rig = await openRacks(WITHOUT);
    await rig.results.submit(
      DEFAULT_NAMESPACE,
      Array.from({ length: 1000 }, (_, at) => ({ name: `disk-${String(at)}`, output: '', source: 'a-1', status: 2 })),
    );
    await switchIs(rig, 2);
    rig.reload(WITH);
    await reportDisk(rig, 'b-1');
    expect(rig.registry.state(createEvaluatedInhibitionRules).fingerprints).toEqual([]);
    await applied(rig);
    const { inhibited } = rig.registry.namespace(DEFAULT_NAMESPACE);
    expect([...inhibited.all()]).toHaveLength(1000);
  });

  test('a renamed inhibition rule still inhibits, under its new name', async () => {
    const rig = await openRacks(WITH);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await reload(rig, { ...WITHOUT, inhibitions: { renamed: RULE } });
    expect(inhibitingRuleOf(rig, 'a-1')).toBe('renamed');
    await reportDisk(rig);
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create']);
  });
});

describe('a removed inhibition rule', () => {
  test('removing an inhibition rule notifies the events that the rule suppressed at once', async () => {
    const rig = await openRacks(WITH);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await takeNotifications(rig);
    await reload(rig, WITHOUT);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
    await reportDisk(rig, 'a-1', 0);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolve']);
  });

  test('an event whose inhibition rule was removed passes the filter occurrences once', async () => {
    const rig = await openRacks({ ...PAGED, inhibitions: WITH.inhibitions });
    await switchIs(rig, 2);
    for (let occurrence = 0; occurrence < 3; occurrence++) await reportDisk(rig);
    await takeNotifications(rig);
    await reload(rig, PAGED);
    const [job] = rig.takeJobs();
    expect(job).toMatchObject({ client: 'a-1', event: { occurrences: 3, inhibition_ended: true } });
    await reportDisk(rig);
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('removing an inhibition rule does not notify events that another rule inhibits', async () => {
    const any = { ...RULE, target: 'check=disk' };
    const rig = await openRacks({ ...WITHOUT, inhibitions: { switch: RULE, any } });
    await switchIs(rig, 2);
    await reportDisk(rig);
    await takeNotifications(rig);
    await reload(rig, { ...WITHOUT, inhibitions: { any } });
    expect(await takeNotifications(rig)).toEqual([]);
    expect(inhibitingRuleOf(rig, 'a-1')).toBe('any');
    await reload(rig, WITHOUT);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
  });

  test('removing an inhibition rule does not notify silenced events until the silence ends', async () => {
    const rig = await openRacks(WITH);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
    await takeNotifications(rig);
    await reload(rig, WITHOUT);
    expect(await takeNotifications(rig)).toEqual([]);
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
  });
});

test('an event is notified with its next result after an inhibition ends, whatever its refresh is', async () => {
  const rig = await openRacks({ ...PAGED, inhibitions: WITH.inhibitions });
  await switchIs(rig, 2);
  for (let occurrence = 0; occurrence < 3; occurrence++) await reportDisk(rig);
  await switchIs(rig, 0);
  await takeNotifications(rig);
  expect(inhibitingRuleOf(rig, 'a-1')).toBeUndefined();
  await reportDisk(rig);
  expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
  await reportDisk(rig);
  expect(await takeNotifications(rig)).toEqual([]);
});

describe('inhibition rules that changed before a start', () => {
  test('a backend that starts with a new inhibition rule applies the rule to open events', async () => {
    const dir = await tempDir();
    const first = await openRacks(WITHOUT, { dir });
    await switchIs(first, 2);
    await reportDisk(first);
    await first.stop();
    const second = await openGroupRig(WITH, { dir, clock: first.clock });
    await applied(second);
    expect(inhibitingRuleOf(second, 'a-1')).toBe('switch');
  });

  test('a backend that starts without a removed inhibition rule notifies the suppressed events once', async () => {
    const dir = await tempDir();
    const first = await openRacks(WITH, { dir });
    await switchIs(first, 2);
    await reportDisk(first);
    await first.stop();
    const second = await openGroupRig(WITHOUT, { dir, clock: first.clock });
    await applied(second);
    expect(await takeNotifications(second)).toEqual(['a-1/disk create']);
    await second.stop();
    const third = await openGroupRig(WITHOUT, { dir, clock: first.clock });
    await applied(third);
    expect(await takeNotifications(third)).toEqual([]);
  });

  test('a backend that starts with unchanged inhibition rules writes nothing', async () => {
    const dir = await tempDir();
    const first = await openRacks(WITH, { dir });
    await applied(first);
    await switchIs(first, 2);
    await reportDisk(first);
    await first.stop();
    const second = await openGroupRig(WITH, { dir, clock: first.clock });
    const before = second.store.lastSeq('main');
    await takeNotifications(second);
    expect(second.store.lastSeq('main')).toBe(before);
    expect(inhibitingRuleOf(second, 'a-1')).toBe('switch');
  });

  test('a changed inhibition rule is applied after a failed write as soon as the store works', async () => {
    const rig = await openRacks(WITH);
    await applied(rig);
    await switchIs(rig, 2);
    await reportDisk(rig);
    await takeNotifications(rig);
    const tries = rig.store.writes;
    rig.store.refuses = () => true;
    rig.reload(WITHOUT);
    await vi.waitFor(() => expect(rig.store.writes).toBeGreaterThan(tries));
    await vi.waitFor(() =>
      expect(rig.log.records.at(-1)?.message).toContain('inhibitions of open events could not be evaluated'),
    );
    rig.store.refuses = () => false;
    rig.clock.advance(1000);
    await applied(rig);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
  });
});

test.each([
  ['changed while the backend runs', false],
  ['changed before a start', true],
])(
  'a changed rule sends no notification for events that its old and new version inhibit, %s',
  async (_when, isStart) => {
    const dir = await tempDir();
    const rig = await openRacks(WITH, { dir });
    await applied(rig);
    await switchIs(rig, 2);
    await reportDisk(rig);
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create']);
    const other = { ...WITHOUT, inhibitions: { switch: { ...RULE, source: 'check=switch status=crit client~sw*' } } };
    if (isStart) await rig.stop();
    const later = isStart ? await openGroupRig(other, { dir, clock: rig.clock }) : rig;
    if (!isStart) later.reload(other);
    await later.report(2, { source: 'a-1' });
    await applied(later);
    expect(await takeNotifications(later)).toEqual([]);
    expect(inhibitingRuleOf(later, 'a-1')).toBe('switch');
  },
);
