import { expect, test } from 'vitest';
import { eventOf, openRig, type RigOptions } from '../../support/console-rig.ts';
import { openScene, SCENE, SCENE_EVENTS } from '../../support/console-scene.ts';
import { FEED_HELLO, startFeedServer } from '../../support/feed-server.ts';
import { expectGolden } from '../../support/screen.ts';
import { sizesOf } from '../../support/golden-looks.ts';
import { testPictures, type Picture } from '../../support/pictures.ts';

const SHIFT_TAB = '\u001B[Z';
const LEFT = '\u001B[D';

const PICTURES: readonly Picture[] = [
  {
    view: 'events',
    play: async (rig) => {
      rig.type('jj jj j');
      await rig.pass(1000);
      if (rig.screen.rows >= 30) await rig.shows('history');
    },
  },
  {
    view: 'events-folded',
    play: async (rig) => {
      rig.type('F\r');
      await rig.shows('3 clients');
    },
  },
  {
    view: 'events-unfolded',
    play: async (rig) => {
      rig.type('F\r\r');
      await rig.shows('web-011');
    },
  },
  {
    view: 'filter',
    play: async (rig) => {
      rig.type('/http');
      await rig.showsNo('disk-root');
    },
  },
  {
    view: 'filter-problem',
    play: async (rig) => {
      rig.type('/http(');
      await rig.shows('missing');
    },
  },
  {
    view: 'detail',
    play: async (rig) => {
      rig.type('\r');
      await rig.shows('replica=db-015');
    },
  },
  {
    view: 'detail-json',
    play: async (rig) => {
      rig.type('y');
      await rig.shows(/raw json/i, 'replica=db-015');
    },
  },
  {
    view: 'detail-resolved',
    play: async (rig) => {
      rig.type('\r');
      await rig.shows('replica=db-015');
      const [row] = SCENE_EVENTS;
      if (row !== undefined) await rig.change({ events: { [`${row.client}/${row.check}`]: null } });
      await rig.shows('event resolved: showing its last state');
    },
  },
  {
    view: 'silence',
    play: async (rig) => {
      rig.type('j   splanned failover CHG-4412');
      await rig.shows('CHG-4412');
    },
  },
  {
    view: 'silence-expiry',
    play: async (rig) => {
      rig.type(`ssnapshot restore${SHIFT_TAB.repeat(3)}${LEFT}`);
      await rig.shows('[15m]');
    },
  },
  {
    view: 'palette',
    play: async (rig) => {
      rig.type('\u0010web');
      await rig.shows('client     web-003');
    },
  },
  {
    view: 'resolve',
    play: async (rig) => {
      rig.type('j   r');
      await rig.shows('Resolve 3 events');
    },
  },
  {
    view: 'unsilence',
    play: async (rig) => {
      rig.type('Gu');
      await rig.shows('End the silence');
    },
  },
  {
    view: 'help',
    play: async (rig) => {
      rig.type('?');
      await rig.shows('mon: key bindings');
    },
  },
  {
    view: 'disconnected',
    play: async (rig) => {
      rig.type('j   ');
      rig.server.refuse(503);
      (await rig.connection()).cut();
      await rig.shows('retry in 1s (#2)');
      await rig.pass(1000);
      await rig.shows('00:01  retry in', '(#3)');
    },
  },
  {
    view: 'paused',
    play: async (rig) => {
      rig.type('p');
      await rig.pass(4000);
      if (rig.screen.rows >= 30) await rig.shows('history');
      await rig.change({
        events: { 'web-003.eu-west-1/http-frontend': null, 'web-007.eu-west-1/http-frontend': null },
      });
      await rig.shows('+2 unseen');
    },
  },
  {
    view: 'clients',
    play: async (rig) => {
      rig.type('5');
      await rig.pass(400);
      rig.type('o');
      await rig.shows('Sort clients by');
      rig.type('events\rj ');
      await rig.pass(400);
      await rig.shows('KEEPALIVE');
    },
  },
  {
    view: 'clients-filter',
    play: async (rig) => {
      rig.type('5/');
      await rig.shows('KEEPALIVE');
      rig.type('web');
      await rig.showsNo('db-014');
    },
  },
  {
    view: 'checks',
    play: async (rig) => {
      rig.type('6');
      await rig.pass(400);
      await rig.shows('postgres-repl', 'every 30s');
    },
  },
  {
    view: 'event-delete',
    play: async (rig) => {
      rig.type('j   D');
      await rig.shows('Delete 3 events');
    },
  },
  {
    view: 'acknowledge',
    play: async (rig) => {
      rig.type('j   K');
      await rig.shows('Acknowledge 3 events');
    },
  },
  {
    view: 'event-run',
    play: async (rig) => {
      rig.type('jR');
      await rig.shows('Run 1 check now');
    },
  },
  {
    view: 'undo',
    play: async (rig) => {
      rig.type('jK');
      await rig.shows('1 event acknowledged');
      rig.type('z');
      await rig.shows('Undo the last change');
    },
  },
  {
    view: 'menu-sort',
    play: async (rig) => {
      rig.type('o');
      await rig.shows('Sort events by');
    },
  },
  {
    view: 'menu-views',
    play: async (rig) => {
      rig.type('v');
      await rig.shows(/overview\s.*\n.*events/i);
    },
  },
  {
    view: 'menu-columns',
    play: async (rig) => {
      rig.type('C\u001B[B\u001B[B\r');
      await rig.shows('[ ] COUNT');
    },
  },
  {
    view: 'menu-actions',
    play: async (rig) => {
      rig.type('xsil');
      await rig.shows('end the silences');
    },
  },
];

testPictures(PICTURES, async ({ play }, options) => {
  const rig = await openScene({ api: sceneApi, ...options });
  await play(rig);
  return rig;
});

test.each(sizesOf([{ view: 'empty' }]))(
  'an empty list at $columns x $rows matches its picture',
  async ({ columns, rows }) => {
    const rig = await openRig({ columns, rows, snapshot: { events: {} } });
    await rig.shows('everything that reports is OK');
    await expectGolden(rig.screen, `empty-${String(columns)}x${String(rows)}`);
    expect(rig.row('LIVE')).toContain('12:00');
  },
);

test('the smallest possible screen matches its picture', async () => {
  const rig = await openScene({ api: sceneApi, columns: 60, rows: 16 });
  await rig.pass(1000);
  await expectGolden(rig.screen, 'events-60x16');
  expect(rig.screen.lines.at(-1)).toContain('help');
});

test('the console shows a screen that says what to do if the backend requires credentials', async () => {
  const server = await startFeedServer();
  server.refuse(401);
  const rig = await openRig({ columns: 80, rows: 24, server });
  await rig.shows('MON_API_KEY');
  expect(rig.screen.text).toContain('The backend requires credentials');
});

test('a terminal that is too small for keys shows the counters, the first rows and the required size', async () => {
  const rig = await openRig({ columns: 59, rows: 15, snapshot: SCENE });
  await expectGolden(rig.screen, 'too-small-59x15');
  rig.type('q');
  expect(rig.quits).toBe(1);
});

const SCENE_CHECKS = [
  {
    name: 'postgres-repl',
    interval: 30,
    subscribers: ['db'],
    command: 'check-postgres-replication -w 30 -c 60',
    next_run: FEED_HELLO.time / 1000 + 12,
  },
  { name: 'backup', cron: '0 3 * * *', subscribers: ['db', 'files'], command: 'check-backup', next_run: null },
];

/** The operation that undoes an acknowledgement. */
const REMOVES_IT = { op: 'unacknowledge', client: 'web-003.eu-west-1', check: 'http-frontend' };

const sceneApi: NonNullable<RigOptions['api']> = ({ method, path }) => {
  if (path === '/api/mon/v1/bulk') return { status: 200, body: { results: [{ ok: true, undo: REMOVES_IT }] } };
  if (path === '/api/mon/v1/checks') return { status: 200, body: SCENE_CHECKS };
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
