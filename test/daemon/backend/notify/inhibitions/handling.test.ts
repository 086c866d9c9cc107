import { describe, expect, test } from 'vitest';
import { CheckRenamer } from '../../../../../daemon/backend/checks/rename.ts';
import { feedEventRow } from '../../../../../daemon/backend/model/events/feed-rows.ts';
import { inhibitorsOf } from '../../../../../daemon/backend/model/notify/inhibitions/state.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import {
  groupingPipe,
  openGroupRig,
  pass,
  settled,
  takeNotifications,
  type GroupRig,
} from '../../../../support/group-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const PIPE = { type: 'pipe', command: 'true' };
const SECTIONS = {
  handlers: { default: PIPE },
  inhibitions: { switch: { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] } },
};

async function openRacks(
  sections: Parameters<typeof openGroupRig>[0] = SECTIONS,
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

const switchIs = (rig: GroupRig, status: number, source = 'sw-a'): Promise<void> =>
  rig.report(status, { source, name: 'switch' });

describe('the suppression of an inhibited event', () => {
  test('an event is inhibited if it has the same attributes as a firing source, and other events are notified', async () => {
    const rig = await openRacks();
    await switchIs(rig, 2);
    await rig.report(2, { source: 'a-1' });
    await rig.report(2, { source: 'b-1' });
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create', 'b-1/disk create']);
    expect(rig.log.records.find(({ message }) => message === 'event is inhibited')).toMatchObject({
      fields: {
        handler: 'default',
        client: 'a-1',
        reason: 'inhibited by switch while sw-a/switch is failing',
        inhibited_by: { rule: 'switch', client: 'sw-a', check: 'switch' },
      },
    });
  });

  test('an event is inhibited only while the source has the status that the inhibition rule requires', async () => {
    const rig = await openRacks();
    await switchIs(rig, 1);
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create', 'a-1/disk create']);
    await switchIs(rig, 2);
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create']);
  });

  test.each<{ name: string; end: (rig: GroupRig) => Promise<unknown> }>([
    { name: 'the source resolves', end: (rig) => switchIs(rig, 0) },
    {
      name: 'the client of the source is deleted',
      end: (rig) => rig.clients.remove(DEFAULT_NAMESPACE, 'sw-a', {} as never),
    },
  ])('an inhibited event is notified with its next result once the source is gone: $name', async ({ end }) => {
    const rig = await openRacks();
    await switchIs(rig, 2);
    await rig.report(2, { source: 'a-1' });
    await takeNotifications(rig);
    await end(rig);
    await takeNotifications(rig);
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
    await rig.report(0, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolve']);
  });

  test('an event is never inhibited by a rule whose source it is', async () => {
    const rig = await openRacks({
      ...SECTIONS,
      inhibitions: { any: { source: 'check=switch', target: 'status>=warn' } },
    });
    await switchIs(rig, 2);
    await switchIs(rig, 2, 'b-1');
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch create', 'b-1/switch create']);
  });

  test('a source whose check is OK but whose event is still open inhibits other events', async () => {
    const rig = await openRacks();
    const kept = { source: 'sw-a', name: 'switch', type: 'metric', auto_resolve: false };
    await rig.report(2, kept);
    await rig.report(0, kept);
    await takeNotifications(rig);
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('a source without handlers inhibits other events as well', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'sw-a', name: 'switch', handlers: [] });
    await rig.report(2, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual([]);
  });
});

test('an OK result that leaves its event open keeps the notification that an inhibition suppressed pending', async () => {
  const rig = await openRacks({ ...SECTIONS, handlers: { default: { ...PIPE, filter: 'occurrences' } } });
  const disk = { source: 'a-1', type: 'metric', resolve_after: 3, interval: 60, refresh: 3600 };
  await switchIs(rig, 2);
  await rig.report(2, disk);
  await rig.report(0, { ...disk, handlers: [] });
  await switchIs(rig, 0);
  await takeNotifications(rig);
  await rig.report(2, disk);
  expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
});

test('only handlers whose notification an inhibition suppressed get inhibition_ended, even after a restart', async () => {
  const dir = await tempDir();
  const filtered = { ...PIPE, filter: 'occurrences' };
  const sections = { ...SECTIONS, handlers: { default: filtered, other: filtered, each: PIPE } };
  const disk = { source: 'a-1', interval: 60, refresh: 3600 };
  const first = await openRacks(sections, { dir });
  await switchIs(first, 2);
  await first.report(2, { ...disk, handlers: ['default', 'each'] });
  await first.report(2, { ...disk, handlers: ['default', 'other'] });
  await switchIs(first, 0);
  await first.stop();
  const rig = await openGroupRig(sections, { dir, clock: first.clock });
  await rig.report(2, { ...disk, handlers: ['default', 'other', 'each'] });
  expect(rig.takeJobs().map(({ handler, event }) => [handler, event.inhibition_ended])).toEqual([
    ['default', true],
    ['each', true],
  ]);
});

/** Returns handler, status and `inhibition_ended` of each job since the last call. */
const jobs = (rig: GroupRig): unknown[] =>
  rig.takeJobs().map(({ handler, event }) => [handler, event.check.status, event.inhibition_ended]);

describe('a notification suppressed by an inhibition', () => {
  const FILTERED = { ...PIPE, filter: 'occurrences' };
  const OWING = { ...SECTIONS, handlers: { default: FILTERED, other: FILTERED } };
  const disk = { source: 'a-1', interval: 60, refresh: 3600 };
  const toBoth = { ...disk, handlers: ['default', 'other'] };

  async function uninhibitedHandlers(handlers: readonly string[], options: Parameters<typeof openGroupRig>[1] = {}) {
    const rig = await openRacks(OWING, options);
    await switchIs(rig, 2);
    await rig.report(2, disk);
    await switchIs(rig, 0);
    rig.takeJobs();
    await rig.report(2, { ...disk, handlers });
    expect(jobs(rig)).toEqual([]);
    return rig;
  }

  test.each([
    { name: 'another handler', handlers: ['other'] },
    { name: 'no handler', handlers: [] },
    { name: 'an undefined handler', handlers: ['nobody'] },
  ])('a notification that an inhibition suppressed stays pending after a result for $name', async ({ handlers }) => {
    const rig = await uninhibitedHandlers(handlers);
    await rig.report(2, toBoth);
    expect(jobs(rig)).toEqual([['default', 2, true]]);
    await rig.report(2, toBoth);
    expect(jobs(rig)).toEqual([]);
  });

  test('a notification that an inhibition suppressed stays pending across a restart', async () => {
    const dir = await tempDir();
    const first = await uninhibitedHandlers(['other'], { dir });
    await first.stop();
    const rig = await openGroupRig(OWING, { dir, clock: first.clock });
    await rig.report(2, toBoth);
    expect(jobs(rig)).toEqual([['default', 2, true]]);
  });

  test('a notification that an inhibition suppressed stays pending during the next inhibition', async () => {
    const rig = await uninhibitedHandlers(['other']);
    await switchIs(rig, 2);
    await rig.report(2, { ...disk, handlers: ['other'] });
    await switchIs(rig, 0);
    rig.takeJobs();
    await rig.report(2, toBoth);
    expect(jobs(rig)).toEqual([['default', 2, true]]);
  });

  test('a notification that an inhibition suppressed stays pending after the check is renamed', async () => {
    const rig = await uninhibitedHandlers(['other']);
    const rename = (to: string): Promise<number> =>
      new CheckRenamer(rig).rename(DEFAULT_NAMESPACE, { from: to === 'usage' ? 'disk' : 'usage', to, isForced: true });
    await rename('usage');
    await rig.report(2, { ...disk, name: 'space', handlers: ['other'] });
    rig.takeJobs();
    await rename('space');
    await rig.report(2, { ...toBoth, name: 'space' });
    expect(jobs(rig)).toEqual([['default', 2, true]]);
  });

  test('a notification that an inhibition suppressed is dropped when its event resolves', async () => {
    const rig = await uninhibitedHandlers(['other']);
    await rig.report(0, { ...disk, handlers: [] });
    await rig.report(1, { ...toBoth, occurrences: 2 });
    await rig.report(1, { ...toBoth, occurrences: 2 });
    expect(jobs(rig)).toEqual([
      ['default', 1, undefined],
      ['other', 1, undefined],
    ]);
  });
});

test('an OK result that leaves its event open notifies only its own handlers and no suppressed handler', async () => {
  const rig = await openRacks({ ...SECTIONS, handlers: { default: { ...PIPE, filter: 'occurrences' }, graph: PIPE } });
  const disk = { source: 'a-1', type: 'metric', resolve_after: 3, interval: 60, refresh: 3600 };
  await switchIs(rig, 2);
  await rig.report(2, disk);
  await rig.report(0, { ...disk, handlers: ['graph'] });
  await switchIs(rig, 0);
  rig.takeJobs();
  await rig.report(0, { ...disk, handlers: ['graph'] });
  await rig.report(2, disk);
  expect(rig.takeJobs().map(({ handler, event }) => [handler, event.check.status, event.inhibition_ended])).toEqual([
    ['graph', 0, undefined],
    ['default', 2, true],
  ]);
});

test('an OK result that leaves its event open does not notify other handlers of the suppressed problem', async () => {
  const rig = await openRacks({
    ...SECTIONS,
    handlers: { default: { ...PIPE, severities: ['critical'] }, graph: PIPE },
  });
  const disk = { source: 'a-1', type: 'metric', resolve_after: 3, interval: 60, refresh: 3600 };
  await switchIs(rig, 2);
  await rig.report(1, disk);
  await rig.report(0, { ...disk, handlers: ['graph'] });
  await switchIs(rig, 0);
  rig.takeJobs();
  await rig.report(1, { ...disk, handlers: ['graph'] });
  expect(rig.takeJobs().map(({ handler, event }) => [handler, event.inhibition_ended])).toEqual([['graph', undefined]]);
});

test('a silence that ends after an inhibition leaves the suppressed notification to the next result', async () => {
  const handlers = { heeds: PIPE, hears: { ...PIPE, handle_silenced: true } };
  const rig = await openRacks({
    ...SECTIONS,
    handlers: Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [name, { ...handler, filter: 'occurrences' }]),
    ),
  });
  const disk = (status: number): Promise<void> =>
    rig.report(status, { source: 'a-1', handlers: ['heeds', 'hears'], interval: 60, refresh: 3600 });
  const switchFails = (status: number): Promise<void> =>
    rig.report(status, { source: 'sw-a', name: 'switch', handlers: [] });
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  await disk(1);
  expect(rig.takeRuns()).toEqual(['hears create']);
  await switchFails(2);
  await disk(2);
  await switchFails(0);
  await rig.silenced.clear(DEFAULT_NAMESPACE, { check: 'disk' });
  await settled(rig);
  expect(rig.takeRuns()).toEqual([]);
  await disk(2);
  expect(rig.takeJobs().map(({ handler, event }) => [handler, event.inhibition_ended, event.silence_ended])).toEqual([
    ['heeds', true, true],
    ['hears', true, undefined],
  ]);
  await disk(2);
  await settled(rig);
  expect(rig.takeRuns()).toEqual([]);
});

test('an event is shown with its inhibiting source exactly while it is inhibited', async () => {
  const rig = await openRacks();
  const shown = (): unknown => {
    const entry = rig.entry('a-1');
    return entry && feedEventRow(entry, rig.clock.now())?.inhibited_by;
  };
  await switchIs(rig, 2);
  await rig.report(2, { source: 'a-1' });
  const inhibitor = { rule: 'switch', client: 'sw-a', check: 'switch' };
  expect(shown()).toEqual(inhibitor);
  await switchIs(rig, 2);
  expect(shown()).toEqual(inhibitor);
  await rig.clients.put(DEFAULT_NAMESPACE, { name: 'sw-a', address: 'x', rack: 'b' });
  await switchIs(rig, 2);
  expect(shown()).toBeUndefined();
  await takeNotifications(rig);
  await rig.report(2, { source: 'a-1' });
  expect(await takeNotifications(rig)).toEqual(['a-1/disk create']);
});

describe('the resolution of an inhibited problem', () => {
  test('a resolution is not notified if the problem was never notified because of an inhibition', async () => {
    const rig = await openRacks();
    await switchIs(rig, 2);
    await rig.report(2, { source: 'a-1' });
    await switchIs(rig, 0);
    await takeNotifications(rig);
    await rig.report(0, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual([]);
  });

  test('a resolution is notified if the problem was notified before it was inhibited', async () => {
    const rig = await openRacks();
    await rig.report(2, { source: 'a-1' });
    await switchIs(rig, 2);
    await rig.report(2, { source: 'a-1' });
    await takeNotifications(rig);
    await rig.report(0, { source: 'a-1' });
    expect(await takeNotifications(rig)).toEqual(['a-1/disk resolve']);
  });
});

test('a restarted backend knows which events are inhibited and which were never notified', async () => {
  const dir = await tempDir();
  const first = await openRacks(SECTIONS, { dir });
  await switchIs(first, 2);
  await first.report(2, { source: 'a-1' });
  await first.stop();
  const second = await openGroupRig(SECTIONS, { dir, clock: first.clock });
  expect([...inhibitorsOf(second.registry.namespace(DEFAULT_NAMESPACE)).all()]).toHaveLength(1);
  await second.report(2, { source: 'a-1' });
  await switchIs(second, 0);
  await second.report(0, { source: 'a-1' });
  expect(await takeNotifications(second)).toEqual(['sw-a/switch resolve']);
  expect(inhibitorsOf(second.registry.namespace(DEFAULT_NAMESPACE)).size).toBe(0);
});

test('a group flush notifies only the source of an inhibition instead of 300 inhibited events', async () => {
  const rig = await openRacks({ ...SECTIONS, handlers: { default: groupingPipe() } });
  const clients = Array.from({ length: 300 }, (_, at) => `m-${String(at)}`);
  await Promise.all(clients.map((name) => rig.clients.put(DEFAULT_NAMESPACE, { name, address: 'x', rack: 'a' })));
  // The clients fail before the switch does.
  await Promise.all(clients.map((source) => rig.report(2, { source })));
  await switchIs(rig, 2);
  await pass(rig, 30);
  expect(await takeNotifications(rig)).toEqual(['sw-a/switch new']);
  await switchIs(rig, 0);
  await Promise.all(clients.map((source) => rig.report(0, { source })));
  await pass(rig, 300);
  expect(await takeNotifications(rig)).toEqual(['sw-a/switch resolved']);
  await settled(rig);
});

test.each([
  { name: 'whose results go on', results: 1 },
  { name: 'without a result meanwhile', results: 0 },
])(
  'an event $name that its group did not notify is notified after the inhibition, whatever its refresh is',
  async ({ results }) => {
    const rig = await openRacks({ ...SECTIONS, handlers: { default: groupingPipe({ filter: 'occurrences' }) } });
    await rig.report(2, { source: 'a-1', refresh: 86_400 });
    await switchIs(rig, 2);
    await pass(rig, 31);
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch new']);
    for (let result = 0; result < results; result++) await rig.report(2, { source: 'a-1', refresh: 86_400 });
    await switchIs(rig, 0);
    await pass(rig, 301);
    expect(await takeNotifications(rig)).toEqual(['sw-a/switch resolved']);
    await rig.report(2, { source: 'a-1', refresh: 86_400 });
    await rig.report(2, { source: 'a-1', refresh: 86_400 });
    await pass(rig, 301);
    expect(await takeNotifications(rig)).toEqual(['a-1/disk new']);
  },
);

test('a source still inhibits other events after its check is renamed', async () => {
  const rig = await openRacks({
    ...SECTIONS,
    inhibitions: { down: { source: 'client~sw-', target: 'check=disk', equal: ['client.rack'] } },
  });
  await switchIs(rig, 2);
  await new CheckRenamer(rig).rename(DEFAULT_NAMESPACE, { from: 'switch', to: 'switch-ping', isForced: false });
  await takeNotifications(rig);
  await rig.report(2, { source: 'a-1' });
  expect(await takeNotifications(rig)).toEqual([]);
});
