import { describe, expect, test } from 'vitest';
import { ConsoleRig, eventOf, openRig, type RigOptions } from '../../support/console-rig.ts';
import { startFeedServer } from '../../support/feed-server.ts';
import { SCENE, SCENE_EVENTS, SCENE_STATS } from '../../support/console-scene.ts';
import { expectGolden } from '../../support/screen.ts';

/** Foreground and background colors, in all their forms. */
const COLOR = /\u001B\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m/;

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 36 },
] as const;

async function openScene(options: RigOptions): Promise<ConsoleRig> {
  const rig = await openRig({ snapshot: SCENE, api: sceneApi, ...options });
  await rig.stats(SCENE_STATS);
  await rig.shows('99,409');
  return rig;
}

const sceneApi: NonNullable<RigOptions['api']> = ({ method, path }) => {
  const row = SCENE_EVENTS.find(({ client, check }) => path === `/events/${client}/${check}`);
  if (method !== 'GET' || row === undefined) return { status: 404 };
  return {
    status: 200,
    body: eventOf(row, {
      output: `${row.output}\nreplica=db-015 state=catchup sent=5A/3C001230 replay=59/FF0003A8\n`,
      interval: 30,
      handlers: ['pagerduty', 'slack-data'],
      command: 'check-postgres-replication -w 30 -c 60',
    }),
  };
};

describe.each(SIZES)('at $columns x $rows', ({ columns, rows }) => {
  const name = (view: string): string => `${view}-${String(columns)}x${String(rows)}`;

  /** Every picture keeps within the screen and looks the same without a single color. */
  async function expectPicture(rig: ConsoleRig, view: string): Promise<void> {
    await expectGolden(rig.screen, name(view));
    for (const line of rig.screen.lines) expect(line.length).toBeLessThanOrEqual(columns);
  }

  test('the list of events', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('jj jj j');
    await rig.pass(1000);
    if (rows >= 30) await rig.shows('history');
    await expectPicture(rig, 'events');
  });

  test('a filter being typed, and one that is wrong', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('/http');
    await rig.shows(rows >= 30 ? '3 of 12' : '/http');
    await expectPicture(rig, 'filter');
    rig.type('(');
    await rig.showsNo('/http ');
    await expectPicture(rig, 'filter-problem');
  });

  test('one event', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('\r');
    await rig.shows('replica=db-015');
    await expectPicture(rig, 'detail');
    rig.type('y');
    await rig.shows('raw json');
    await expectPicture(rig, 'detail-json');
  });

  test('the silence dialog', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('j   s');
    await rig.shows('Silence 3 events');
    rig.type('planned failover CHG-4412');
    await rig.shows('CHG-4412');
    await expectPicture(rig, 'silence');
    rig.type('\u001B[Z\u001B[Z\u001B[D');
    await rig.shows('[15m]');
    await expectPicture(rig, 'silence-expiry');
  });

  test('the question before a resolve', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('j   r');
    await rig.shows('Resolve 3 events');
    await expectPicture(rig, 'resolve');
  });

  test('the help', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('?');
    await rig.shows('mon: keys');
    await expectPicture(rig, 'help');
  });

  test('the connection lost', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('j   ');
    rig.server.refuse(503);
    (await rig.connection()).cut();
    await rig.shows('retry in 1s (#2)');
    await rig.pass(1000);
    await rig.shows('00:01  retry in', '(#3)');
    await expectPicture(rig, 'disconnected');
  });

  test('paused', async () => {
    const rig = await openScene({ columns, rows });
    rig.type('p');
    await rig.pass(4000);
    await rig.change({ events: { 'web-003.eu-west-1/http-frontend': null, 'web-007.eu-west-1/http-frontend': null } });
    await rig.shows('+2 unseen');
    await expectPicture(rig, 'paused');
  });

  test('nothing is wrong', async () => {
    const rig = await openRig({ columns, rows, snapshot: { events: {} } });
    await rig.shows('everything that reports is OK');
    await expectPicture(rig, 'empty');
  });

  test('a backend that wants credentials', async () => {
    const server = await startFeedServer();
    server.refuse(401);
    const rig = await openRig({ columns, rows, server });
    await rig.shows('who you are');
    await rig.shows('MON_API_KEY');
  });
});

test('too small', async () => {
  const rig = await openRig({ columns: 59, rows: 15, snapshot: SCENE });
  await expectGolden(rig.screen, 'too-small-59x15');
});

test('black and white: every state is readable without color', async () => {
  const rig = await openScene({ columns: 120, rows: 36, theme: { color: false, ascii: false } });
  await rig.pass(1000);
  await rig.shows('history');
  expect(rig.screen.output).not.toMatch(COLOR);
  await expectGolden(rig.screen, 'events-mono', { styled: true });
});

test('ASCII only', async () => {
  const rig = await openScene({ columns: 120, rows: 36, theme: { color: true, ascii: true } });
  await rig.pass(1000);
  await rig.shows('history');
  expect(rig.screen.output).toMatch(/^[\u0000-\u007F]*$/);
  await expectGolden(rig.screen, 'events-ascii');
});
