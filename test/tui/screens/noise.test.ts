import { describe, expect, test } from 'vitest';
import { eventOf, type ConsoleRig, type RigOptions } from '../../support/console-rig.ts';
import { GROUP_LETTER, handlingBackend, openHandlingScene } from '../../support/handling-scene.ts';
import { COLOR, LOOKS, scenesAt, sizesOf } from '../../support/golden-looks.ts';
import { SCENE, SCENE_EVENTS } from '../../support/console-scene.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { expectGolden } from '../../support/screen.ts';

const NOW = FEED_HELLO.time / 1000;
const SWITCH = { rule: 'switch-down', client: 'db-014.eu-west-1', check: 'postgres-repl' };

const GROUPS = [
  group(
    'pager',
    { 'client.rack': 'fra-12' },
    { firing: 31, pending: 30, worst: 'critical', notified_at: null, due_at: NOW + 24 },
  ),
  group(
    'pager',
    { 'client.rack': 'ams-3' },
    { firing: 2, worst: 'warning', notified_at: NOW - 720, due_at: NOW + 13_680 },
  ),
  group(
    'mail',
    { check: 'certificate', 'client.datacenter': '' },
    { firing: 0, pending: 4, notified_at: NOW - 130, due_at: NOW + 170 },
  ),
];

function group(handler: string, by: Readonly<Record<string, string>>, more: object): object {
  return {
    namespace: 'default',
    handler,
    id: `id-${handler}-${Object.values(by).join('-')}`,
    by,
    pending: 0,
    worst: 'ok',
    ...more,
  };
}

const INHIBITIONS = [
  {
    name: 'switch-down',
    source: 'check=postgres-repl status=crit',
    target: 'check!=postgres-repl',
    equal: ['client.rack'],
    inhibited: 2,
    inhibitors: [{ namespace: 'default', client: SWITCH.client, check: SWITCH.check, inhibited: 2 }],
  },
  { name: 'site-away', source: 'check=uplink', target: 'check!=uplink', equal: [], inhibited: 0, inhibitors: [] },
];

/** Returns the rows of the scene, in which two events are inhibited and in a group. */
function quietScene(): NonNullable<RigOptions['snapshot']> {
  const events = Object.entries(SCENE.events ?? {}).map(([key, row]) => {
    const isQuiet = key.startsWith('web-003.') || key.startsWith('web-007.');
    return [
      key,
      row === null || !isQuiet ? row : { ...row, inhibited_by: SWITCH, groups: ['id-pager-fra-12'] },
    ] as const;
  });
  return { ...SCENE, events: Object.fromEntries(events) };
}

/** Returns the dead letter of a group, with two events. */
function letterOfGroup(): object {
  const [event, other] = SCENE_EVENTS.filter(({ client }) => client.startsWith('web-')).map((row) =>
    Object.assign({ change: 'new' }, eventOf(row)),
  );
  return { ...GROUP_LETTER, event, events: [event, other] };
}

function openNoise(options: RigOptions = {}): Promise<ConsoleRig> {
  const { api } = handlingBackend();
  return openHandlingScene({
    snapshot: quietScene(),
    api: (request) => {
      if (request.path === '/api/mon/v1/handler-groups') return { status: 200, body: GROUPS };
      if (request.path === '/api/mon/v1/dead-letters') return { status: 200, body: [GROUP_LETTER] };
      if (request.path.startsWith('/api/mon/v1/dead-letters/')) return { status: 200, body: letterOfGroup() };
      if (request.path === '/api/mon/v1/inhibitions') return { status: 200, body: INHIBITIONS };
      return api(request);
    },
    ...options,
  });
}

async function openGroups(rig: ConsoleRig): Promise<void> {
  rig.type(':groups\r');
  await rig.shows('HANDLER', 'fra-12');
}

async function openInhibitions(rig: ConsoleRig): Promise<void> {
  rig.type(':inhibitions\r');
  await rig.shows('SOURCE EVENT', 'site-away');
}

const PICTURES: readonly { readonly view: string; readonly play: (rig: ConsoleRig) => Promise<void> }[] = [
  { view: 'groups', play: openGroups },
  { view: 'inhibitions', play: openInhibitions },
  {
    view: 'events-quiet',
    play: async (rig) => {
      await openInhibitions(rig);
      rig.type('\r');
      await rig.shows('inhibited_by=switch-down', 'inhibited by db-014');
    },
  },
  {
    view: 'detail-quiet',
    play: async (rig) => {
      await openInhibitions(rig);
      rig.type('\r');
      await rig.shows('inhibited by db-014');
      rig.type('\r');
      await rig.shows('by switch-down: db-014.eu-west-1/postgres-repl');
    },
  },
  {
    view: 'dead-letter-group',
    play: async (rig) => {
      rig.type(':dead-letters\r');
      await rig.shows('REASON', '31 events)');
      rig.type('\r');
      await rig.shows('client.rack=fra-12 (31 events)', 'events, secrets redacted', '"change": "new"');
    },
  },
];

describe.each(sizesOf(PICTURES))('at $columns x $rows', ({ columns, rows }) => {
  test.each(scenesAt(PICTURES, { columns, rows }))('the screen $view matches its picture', async ({ view, play }) => {
    const rig = await openNoise({ columns, rows });
    await play(rig);
    await expectGolden(rig.screen, `${view}-${String(columns)}x${String(rows)}`);
    expect(rig.screen.lines.every((line) => line.length <= columns)).toBe(true);
    expect(rig.screen.lines.at(-1)).not.toBe('');
  });
});

describe.each(LOOKS)('in $look', ({ look, theme, styled }) => {
  test('the groups match their styled picture', async () => {
    const rig = await openNoise({ theme });
    await openGroups(rig);
    await rig.pass(400);
    await expectGolden(rig.screen, `groups-${look}`, { styled });
    expect(COLOR.test(rig.screen.output)).toBe(theme.color);
    expect(/[^\u0000-\u007F]/.test(rig.screen.output)).toBe(!theme.ascii);
  });
});

test('Enter on a group shows its events, and Enter on an inhibition rule shows the events that the rule inhibits', async () => {
  const rig = await openNoise();
  await openGroups(rig);
  rig.type('\r');
  await rig.shows('group=id-pager-fra-12', 'web-003', 'web-007');
  expect(rig.screen.text).not.toContain('db-014.eu-west-1 ');
});

test('the key I on an inhibition rule opens its source event', async () => {
  const rig = await openNoise();
  await openInhibitions(rig);
  rig.type('I');
  await rig.shows('db-014.eu-west-1 / postgres-repl');
  expect(rig.screen.text).not.toContain('SOURCE EVENT');
});

test('the key I in the detail of an inhibited event opens its source event', async () => {
  const rig = await openNoise();
  rig.type('/web-003\r\r');
  await rig.shows('web-003.eu-west-1 / http-frontend', 'by switch-down: db-014.eu-west-1/postgres-repl');
  rig.type('I');
  await rig.shows('events › db-014.eu-west-1 / postgres-repl');
  expect(rig.screen.text).not.toContain('by switch-down');
  rig.type('I');
  await rig.shows('no inhibiting event to open');
});

test('the key I on an inhibition rule that inhibits no event says so', async () => {
  const rig = await openNoise();
  await openInhibitions(rig);
  rig.type('j');
  rig.type('I');
  await rig.shows('no inhibiting event to open');
  expect(rig.screen.text).toContain('SOURCE EVENT');
});

test('a wide header counts the inhibited events', async () => {
  const rig = await openNoise({ columns: 120, rows: 36 });
  await openInhibitions(rig);
  await rig.shows('2 inhibited');
  expect(rig.row('inhibited')).toContain('S 1 silenced');
});
