import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { layOutList } from '../../../tui/list/list-layout.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey, openRig, type ConsoleRig } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { aClientRow, anEventRow } from '../../support/feed-rows.ts';

const RIGHT = '\u001B[C';
const LEFT = '\u001B[D';
const CTRL_E = '\u0005';

async function openList(columns = 80, rows = 24): Promise<ConsoleRig> {
  const rig = await openRig({ columns, rows, snapshot: SCENE });
  await rig.shows('LIVE', 'db-014');
  return rig;
}

describe('scrolling sideways', () => {
  test('scrolling sideways moves the columns of the events to the left and shows hidden columns', async () => {
    const rig = await openList();
    expect(rig.row('STATUS')).not.toContain('LAST');
    expect(rig.row('filter:')).toContain('2 →');
    rig.type(`l${RIGHT}`);
    await rig.shows('LAST', '← 2');
    expect(rig.row('STATUS')).toMatch(/STATUS {2}COUNT +AGE▼ +LAST {2}SILENCED {2}OUTPUT/);
    expect(rig.row('filter:')).not.toContain('→');
    await rig.shows('lag 184 s > 60 s, wal sender not');
    rig.type(`h${LEFT}`);
    await rig.shows('CLIENT');
    expect(rig.row('filter:')).not.toContain('←');
  });

  test('the first column of a table stays in place when the table scrolls sideways', async () => {
    const rig = await openList();
    rig.type('5');
    await rig.pass(400);
    await rig.shows('KEEPALIVE');
    expect(rig.row('KEEPALIVE')).not.toContain('VERSION');
    rig.type('l');
    await rig.shows('VERSION');
    expect(rig.row('VERSION')).toMatch(/^ {3}CLIENT▼ +KEEPALIVE +VERSION +EVENTS +SUBSCRIPTIONS$/);
    expect(rig.row('filter:')).toContain('← 1');
  });

  test('a text that is wider than the screen is scrolled sideways in parts', () => {
    const output = Array.from({ length: 20 }, (_, at) => `part-${String(at)}`).join(' ');
    const driver = new ConsoleDriver({ columns: 80, rows: 24 }).goLive({ events: byKey([anEventRow({ output })]) });
    driver.type('l'.repeat(50));
    expect(driver.message).toBe('there are no more columns to the right');
    const place = layOutList(driver.store);
    expect([place.left, place.hasMore]).toEqual([5, false]);
    expect(place.shift).toBeGreaterThan(0);
    driver.type('h'.repeat(60));
    expect(driver.store.list.sideways).toBe(0);
  });

  test('a list that fits on the screen does not scroll sideways', () => {
    const driver = new ConsoleDriver({ columns: 200 }).goLive({ events: byKey([anEventRow({ output: 'short' })]) });
    driver.type('l');
    expect([driver.store.list.sideways, driver.message]).toEqual([0, 'there are no more columns to the right']);
  });
});

test('the key w shows full names and counts the columns that no longer fit', async () => {
  const client = 'web-in-the-rack-beside-the-window';
  const rig = await openRig({
    columns: 80,
    rows: 24,
    snapshot: {
      events: byKey([anEventRow({ client, check: 'http' })]),
      clients: { [client]: aClientRow({ name: client }) },
    },
  });
  await rig.shows('LIVE', '…');
  expect(rig.screen.text).not.toContain(client);
  rig.type('w');
  await rig.shows(client);
  expect(rig.row('filter:')).toContain('→');
  rig.type('w5');
  await rig.pass(400);
  await rig.shows('KEEPALIVE');
  rig.type('w');
  await rig.shows(client);
});

const at = (seconds: number, client: string): EventRow => anEventRow({ client, since: seconds });

const openConsole = (): ConsoleDriver => {
  const driver = new ConsoleDriver().goLive({ events: byKey([at(100, 'a'), at(200, 'b')]) });
  driver.type('f');
  return driver;
};

describe('the key f that follows the newest event', () => {
  test('the key f sorts the list by time, and the cursor follows each new event', () => {
    const driver = openConsole();
    expect(driver.store.sort.column).toBe('age');
    expect(driver.store.list.cursor.key).toBe('b/http-frontend');
    driver.change({ events: byKey([at(300, 'c')]) });
    driver.pass(100);
    expect(driver.store.list.cursor).toMatchObject({ key: 'c/http-frontend', index: 0 });
  });

  test('the cursor that follows the newest event moves to the bottom if the newest rows are at the bottom', () => {
    const driver = openConsole();
    driver.type('O');
    driver.change({ events: byKey([at(300, 'c')]) });
    driver.pass(100);
    expect(driver.store.list.cursor).toMatchObject({ key: 'c/http-frontend', index: 2 });
  });

  test('a movement key pauses following the newest event, and the key f resumes it', () => {
    const driver = openConsole();
    driver.type('j');
    expect(driver.message).toBe('no longer following the newest row: press f to follow again');
    driver.change({ events: byKey([at(300, 'c')]) });
    driver.pass(500);
    expect(driver.store.list.cursor.key).toBe('a/http-frontend');
    driver.type('f');
    expect(driver.store.list.cursor.key).toBe('c/http-frontend');
  });

  test('another sort order ends following the newest event', () => {
    const driver = openConsole();
    driver.type(':sort client\r');
    driver.pass(100);
    expect(driver.store.list.following).toBe(false);
  });

  test('the cursor does not follow the newest event while a dialog about its row is open', () => {
    const driver = openConsole();
    driver.type('s');
    driver.change({ events: byKey([at(300, 'c')]) });
    driver.pass(1000);
    expect(driver.store.list.cursor.key).toBe('b/http-frontend');
  });
});

test('Ctrl-E hides the counters and tabs and gives their rows to the list', async () => {
  const rig = await openList(120, 36);
  await rig.shows('[2 Events]', 'crit ');
  rig.type(CTRL_E);
  await rig.shows(/^(?![^]*\[2 Events\])/);
  expect(rig.screen.lines[1]).toContain('STATUS');
  rig.type(CTRL_E);
  await rig.shows('[2 Events]');
  rig.type(`1${CTRL_E}`);
  await rig.pass(400);
  await rig.shows('NEW CRITICAL');
  expect(rig.screen.text).not.toContain('[1 Overview]');
});

test('Ctrl-E on a short screen shows a message that the header stays hidden', () => {
  const driver = new ConsoleDriver({ columns: 80, rows: 24 }).goLive({ events: byKey([anEventRow()]) });
  driver.type(CTRL_E);
  expect(driver.message).toBe('header off; it was already hidden: the terminal needs at least 30 rows');
  driver.type(CTRL_E);
  expect(driver.message).toBe('header on, but hidden: the terminal needs at least 30 rows');
});
