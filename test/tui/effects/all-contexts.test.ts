import { describe, expect, test, vi } from 'vitest';
import { MonError } from '../../../shared/errors.ts';
import { openAll } from '../../../tui/effects/all-contexts.ts';
import { chooseBackend } from '../../../tui/config/choose-backend.ts';
import { parseConfig } from '../../../tui/config/parse-config.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { byKey, openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { ConsoleStore } from '../../../tui/console-store.ts';
import { INITIAL_FEED_STATUS, updateConnection } from '../../../tui/model/feed-status.ts';
import { anEventRow, aSilencedRow } from '../../support/feed-rows.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { expectGolden } from '../../support/screen.ts';
import { openAllRig, startMember, type ScriptedMember } from '../../support/two-backends.ts';

const NOW = FEED_HELLO.time / 1000;
const SHARED = anEventRow({ client: 'web-1', check: 'disk', since: NOW - 60 });
const MESH = anEventRow({ client: 'mesh-7', check: 'ping', status: 1, since: NOW - 90 });
const LAB_SILENCE = aSilencedRow({
  id: 'client:old-1:ntp',
  subscription: 'client:old-1',
  check: 'ntp',
  creator: 'bob',
});
const SILENCED = anEventRow({ client: 'old-1', check: 'ntp', silenced_by: [LAB_SILENCE.id] });

interface Two {
  readonly rig: ConsoleRig;
  readonly prod: ScriptedMember;
  readonly lab: ScriptedMember;
}

/** Opens a console with two backends. Both have web-1/disk; prod also has mesh-7/ping, and lab a silenced old-1/ntp. */
async function openTwo(size: { readonly columns?: number; readonly rows?: number } = {}): Promise<Two> {
  const prod = await startMember([SHARED, MESH]);
  const lab = await startMember([{ ...SHARED, since: NOW - 120 }, SILENCED], {
    silenced: { [LAB_SILENCE.id]: LAB_SILENCE },
  });
  const rig = await openAllRig({ prod, lab }, size);
  await rig.shows('2 of 2 live', 'mesh-7', 'old-1');
  return { rig, prod, lab };
}

/** Returns the only line of the list that begins with this context and client. */
function listRow(rig: ConsoleRig, context: string, client: string): string {
  return (
    rig.screen.lines.find((line) => new RegExp(`${context} +${client} `).test(line)) ??
    `no such row:\n${rig.screen.text}`
  );
}

describe('the list of all contexts', () => {
  test('the list of all contexts shows the same client and check of two backends as two events', async () => {
    const { rig } = await openTwo();
    expect(rig.row('STATUS  ')).toContain('BACKEND');
    expect(listRow(rig, 'prod', 'web-1')).toContain('disk');
    expect(listRow(rig, 'lab', 'web-1')).toContain('disk');
    expect(rig.screen.text).toMatch(/2 crit .*1 warn .*1 silenced/);
    expect(listRow(rig, 'lab', 'old-1')).toMatch(/S CRIT .* 1h left /);
  });

  test('the list of all contexts can be filtered and sorted by backend, and searched by plain client names', async () => {
    const { rig } = await openTwo();
    rig.type(':filter backend=lab\r');
    await rig.showsNo('mesh-7');
    expect(listRow(rig, 'lab', 'web-1')).toContain('disk');
    rig.type(':filter client=web-1\r');
    await rig.showsNo('old-1');
    expect(listRow(rig, 'prod', 'web-1')).toContain('disk');
    rig.escape();
    await rig.shows('filter: none');
    rig.type(':sort backend\r');
    await rig.shows('sort: backend', 'old-1');
    const shown = rig.screen.lines.filter((line) => / (prod|lab) +(web|mesh|old)-/.test(line));
    expect(shown.slice(0, 4).map((line) => / (prod|lab) /.exec(line)?.[1])).toEqual(['lab', 'lab', 'prod', 'prod']);
  });

  test('the list of all contexts loads the detail of an event from the backend of the event', async () => {
    const { rig, prod, lab } = await openTwo({ columns: 80, rows: 24 });
    rig.type(':filter backend=lab client=web-1\r');
    await rig.showsNo('mesh-7');
    rig.type('\r');
    await vi.waitFor(() => expect(lab.requests.map(({ path }) => path)).toContain('/events/web-1/disk'));
    await rig.shows('web-1@lab');
    await vi.waitFor(() =>
      expect(lab.requests.map(({ path }) => path)).toContain('/api/mon/v1/events/web-1/disk/explain'),
    );
    expect(prod.requests.map(({ path }) => path)).not.toContain('/events/web-1/disk');
  });

  test('one dialog silences events of several contexts at their own backends, and an undo reverts each there', async () => {
    const { rig, prod, lab } = await openTwo();
    rig.type(':filter check=disk\r');
    await rig.showsNo('mesh-7');
    rig.type('as');
    await rig.shows('web-1@prod', 'web-1@lab', 'Silence 2 events');
    expect(rig.screen.text).not.toContain('check everywhere');
    rig.type('CHG-7\u0013');
    await rig.shows('2 silences created');
    const silence = { op: 'silence', subscription: 'client:web-1', check: 'disk', reason: 'CHG-7' };
    expect(prod.operations()).toEqual([expect.objectContaining(silence)]);
    expect(lab.operations()).toEqual([expect.objectContaining(silence)]);
    rig.type('z');
    await rig.shows('web-1@prod / disk', 'web-1@lab / disk');
    rig.type('y');
    await rig.shows('2 changes undone');
    const clear = { op: 'clear', id: 'client:web-1:disk', if_timestamp: 7 };
    expect(prod.operations().slice(1)).toEqual([clear]);
    expect(lab.operations().slice(1)).toEqual([clear]);
  });

  test('resolve, run, acknowledge and unsilence are sent only to the backend of the row under the cursor', async () => {
    const { rig, prod, lab } = await openTwo();
    rig.type(':filter backend=lab client=web-1\r');
    await rig.showsNo('mesh-7');
    rig.type('r');
    await rig.shows('web-1@lab/disk');
    // The dialog is about the event for which it was opened, whatever events of the same name arrive meanwhile.
    const connection = await prod.server.connection(0);
    const rows = { events: { [eventKey('web-1', 'disk')]: { ...SHARED, since: NOW, occurrences: 2 } } };
    connection.send({ type: 'changes', seq: 2, time: rig.clock.now(), rows });
    await rig.pass(500);
    rig.type('y');
    await rig.shows('1 event resolved');
    rig.type('R');
    await rig.shows('disk on client:web-1@lab');
    rig.type('y');
    await rig.shows('requested disk on web-1@lab');
    rig.type('K');
    await rig.shows('1 event acknowledged');
    rig.type(':filter client=old-1\r');
    await rig.shows('old-1');
    await rig.showsNo('web-1 ');
    rig.type('u');
    await rig.shows('old-1@lab / ntp');
    rig.type('y');
    await rig.shows('1 silence ended');
    expect(lab.operations()).toEqual([
      { op: 'resolve', client: 'web-1', check: 'disk' },
      expect.objectContaining({ op: 'acknowledge', client: 'web-1', check: 'disk' }),
      { op: 'clear', id: 'client:old-1:ntp', if_timestamp: LAB_SILENCE.timestamp },
    ]);
    expect(lab.requests.find(({ path }) => path === '/request')?.body).toMatchObject({
      check: 'disk',
      subscribers: ['client:web-1'],
    });
    expect(prod.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('the list of all contexts keeps and names the rows of a lost backend and sends no change to both backends', async () => {
    const { rig, prod, lab } = await openTwo();
    lab.server.refuse(503);
    (await lab.server.connection(0)).cut();
    await rig.shows(/1 of 2 live +lab 00:0\d/);
    expect(listRow(rig, 'lab', 'web-1')).toContain('disk');
    const connection = await prod.server.connection(0);
    connection.send({
      type: 'changes',
      seq: 2,
      time: rig.clock.now(),
      rows: { events: { [eventKey('new-9', 'load')]: anEventRow({ client: 'new-9', check: 'load' }) } },
    });
    await rig.shows('new-9');
    rig.type(':filter check=disk\r');
    await rig.showsNo('mesh-7');
    for (const key of ['s', 'r', 'K', 'D', 'R', 'u']) {
      rig.type(`a${key}`);
      await rig.shows('not connected to lab: unmark or filter out the rows of that backend');
      expect(rig.screen.text).not.toContain('Cancel');
      rig.escape();
      rig.escape();
    }
    expect(prod.operations()).toEqual([]);
    expect(lab.operations()).toEqual([]);
  });

  test('a change that failed at one of all contexts is reported, and an undo reverts only the other backends', async () => {
    const { rig, prod, lab } = await openTwo();
    rig.type(':filter check=disk\r');
    await rig.showsNo('mesh-7');
    lab.refuseChanges(500);
    rig.type('asCHG-9\u0013');
    await rig.shows('1 of 2 silences created', 'not created: web-1@lab / disk: lab: ', 'created: web-1@prod / disk');
    rig.type('\r');
    await rig.showsNo('not made');
    rig.type('z');
    await rig.shows('web-1@prod / disk');
    expect(rig.screen.text).not.toContain('web-1@lab / disk');
    rig.type('y');
    await rig.shows('1 change undone');
    expect(prod.operations()).toHaveLength(2);
    expect(lab.operations()).toHaveLength(1);
  });

  test('the list of all contexts drops rows that a backend no longer has when the backend returns', async () => {
    const { rig, lab } = await openTwo();
    (await lab.server.connection(0)).cut();
    await rig.shows('1 of 2 live');
    await rig.pass(2000);
    const back = await lab.server.connection(1);
    await back.subscribed();
    back.send(
      { type: 'reset', reason: 'restored' },
      { type: 'snapshot', seq: 9, rows: { events: { 'web-1/disk': SHARED } } },
      { type: 'live', seq: 9 },
    );
    await rig.shows('2 of 2 live');
    await rig.showsNo('old-1');
    expect(listRow(rig, 'lab', 'web-1')).toContain('disk');
    expect(listRow(rig, 'prod', 'mesh-7')).toContain('ping');
  });

  test('all contexts have only the list of events, and the console can switch to one backend and back', async () => {
    const { rig } = await openTwo();
    rig.type(':clients\r');
    await rig.shows('Clients shows only one backend at a time: select one with :ctx NAME', 'mesh-7');
    rig.type(':ctx lab\r');
    await rig.shows('mon  lab  ', 'old-1');
    await rig.showsNo('mesh-7');
    expect(rig.row('STATUS  ')).not.toContain('BACKEND');
    rig.type(':ctx\r');
    await rig.shows('Contexts', 'lab  (shown now)');
    rig.type('all\r');
    await rig.shows('2 of 2 live', 'mesh-7', 'old-1');
  });

  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 36 },
  ])('the list of all contexts is drawn at $columns x $rows', async (size) => {
    const { rig, lab } = await openTwo(size);
    lab.server.refuse(503);
    (await lab.server.connection(0)).cut();
    await rig.shows('1 of 2 live');
    await rig.pass(2000);
    expect(rig.screen.text).toContain('lab 00:02');
    await expectGolden(rig.screen, `all-contexts-${String(size.columns)}x${String(size.rows)}`);
  });
});

test('only changes after the snapshot of a backend ring the bell in the list of all contexts', () => {
  const store = new ConsoleStore({
    size: { columns: 80, rows: 24 },
    backend: 'all contexts',
    creator: 'alice',
    session: 'console-1',
    readOnly: false,
    mergedContexts: ['prod', 'lab'],
    now: () => FEED_HELLO.time,
  });
  store.backendChanged('prod', updateConnection(INITIAL_FEED_STATUS, { kind: 'live' }, FEED_HELLO.time));
  const row = anEventRow({ client: 'web-1@lab', check: 'disk' });
  const rings = (): number => store.takeEffects().filter(({ kind }) => kind === 'ring').length;
  store.rowsArrived({ events: byKey([row]) }, { replace: false, timeMs: undefined, isNews: false });
  expect(rings()).toBe(0);
  const later = { ...row, check: 'load' };
  store.rowsArrived({ events: byKey([later]) }, { replace: false, timeMs: undefined, isNews: true });
  expect(rings()).toBe(1);
});

describe('a context that cannot be opened', () => {
  test('a context that cannot be opened is reported while the other contexts are shown', async () => {
    const prod = await startMember([SHARED]);
    const rig = await openAllRig({ prod });
    await rig.shows('1 of 1 live');
    const opened = await openAll(['prod', 'locked'], (name) =>
      name === 'prod'
        ? Promise.resolve({ backend: prod.server.url, api: () => Promise.reject(new Error('not asked')) })
        : Promise.reject(new MonError('invalid', 'the password of locked is not in $PW')),
    );
    const beside = await openRig({
      server: prod.server,
      parts: {
        ...opened,
        contexts: { names: ['prod', 'locked'], current: 'all', open: () => Promise.reject(new Error('not asked')) },
      },
    });
    await beside.shows('1 of 2 live', 'locked refused', 'web-1');
    expect(listRow(beside, 'prod', 'web-1')).toContain('disk');
  });

  test('the console fails with an error if its only context cannot be opened', async () => {
    await expect(openAll(['a', 'b'], () => Promise.reject(new MonError('invalid', 'no password')))).rejects.toThrow(
      'a: no password; b: no password',
    );
  });
});

test('a context cannot have the name all, and the configuration file can select all contexts at the start', () => {
  const backend = 'backend: http://127.0.0.1:1';
  expect(() => parseConfig(`contexts:\n  all:\n    ${backend}\n`, 'mon.yaml')).toThrow('means all contexts');
  const config = parseConfig(`context: all\ncontexts:\n  lab:\n    ${backend}\n`, 'mon.yaml');
  expect(chooseBackend({ backend: undefined, context: undefined }, {}, config)).toEqual({ kind: 'all' });
  expect(chooseBackend({ backend: undefined, context: 'all' }, {}, config)).toEqual({ kind: 'all' });
});
