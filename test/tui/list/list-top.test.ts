import { describe, expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const critical = (client: string, seconds = 0) => ({
  [`${client}/http`]: anEventRow({ client, check: 'http', status: 2, since: 1_767_225_600 + seconds }),
});

function openList(): ConsoleDriver {
  return new ConsoleDriver().goLive({ events: { ...critical('web-1'), ...critical('web-2'), ...critical('web-3') } });
}

/** Adds `count` newer events, and lets a second pass. */
function storm(driver: ConsoleDriver, count = 50): void {
  for (let at = 0; at < count; at++) driver.change({ events: critical(`storm-${String(at)}`, 10 + at) });
  driver.pass(1000);
}

const underCursor = ({ store }: ConsoleDriver): string | undefined => store.list.cursor.key;

describe('a newly opened list', () => {
  test('a newly opened list stays at its top while changes arrive', () => {
    const driver = openList();
    storm(driver);
    expect([driver.store.list.cursor.index, driver.store.list.cursor.top]).toEqual([0, 0]);
    expect(underCursor(driver)).toBe(driver.list[0]);
    expect(underCursor(driver)).toMatch(/^storm-/);
  });

  test('a list follows the row to which the cursor was moved, and the key g returns to the top', () => {
    const driver = openList();
    driver.type('j');
    const row = underCursor(driver);
    storm(driver);
    expect([underCursor(driver), driver.store.list.cursor.top > 0]).toEqual([row, true]);
    driver.type('g');
    storm(driver, 60);
    expect(underCursor(driver)).toBe(driver.list[0]);
  });

  test.each([
    { title: 'next', key: 'j', row: 1 },
    { title: 'last of the next page', key: ':6\r', row: 5 },
    { title: 'next critical', key: 'e', row: 1 },
  ])('the cursor moves from the top to the $title row, even if the row under the cursor has moved', ({ key, row }) => {
    const driver = openList();
    storm(driver);
    for (let at = 0; at < 20; at++) driver.change({ events: critical(`late-${String(at)}`, 100 + at) });
    driver.type(key);
    driver.pass(100);
    expect(driver.store.list.cursor.index).toBe(row);
  });

  test.each([
    { title: 'opened', key: '\r' },
    { title: 'silenced', key: 's' },
    { title: 'resolved', key: 'r' },
    { title: 'marked', key: ' ' },
    { title: 'used in a menu', key: 'x' },
  ])('a list follows the row that was $title, even if the action was canceled', ({ key }) => {
    const driver = openList();
    driver.type(key);
    const row = underCursor(driver);
    driver.escape();
    driver.pass(5000);
    storm(driver);
    expect(underCursor(driver)).toBe(row);
  });
});

const warning = (client: string, seconds = 0) => ({
  [`${client}/http`]: anEventRow({ client, check: 'http', status: 1, since: 1_767_225_600 + seconds }),
});

/** Opens a list of warnings, which are resolved and acknowledged without a confirmation. */
function openWarnings(): ConsoleDriver {
  const events = { ...warning('web-1', 3), ...warning('web-2', 2), ...warning('web-3', 1) };
  return new ConsoleDriver().goLive({ events });
}

describe('a key that is pressed just as another row comes under the cursor', () => {
  test.each([
    { title: 'the row under the cursor disappears', keys: 'j', rows: { 'web-2/http': null }, next: 'web-3/http' },
    { title: 'the last row disappears', keys: 'G', rows: { 'web-3/http': null }, next: 'web-2/http' },
    { title: 'the cursor follows a new event', keys: 'f', rows: warning('late', 100), next: 'late/http' },
    {
      title: 'all marked rows disappear',
      keys: '  ',
      rows: { 'web-1/http': null, 'web-2/http': null },
      next: 'web-3/http',
    },
  ])('a key does nothing when $title, and acts on the new row when pressed again', ({ keys, rows, next }) => {
    const driver = openWarnings();
    driver.type(keys);
    driver.pass(1000);
    driver.change({ events: rows });
    driver.pass(100);
    driver.type('r');
    expect([driver.effects(), underCursor(driver)]).toEqual([[], next]);
    expect(driver.message).toContain(`the cursor is now on ${next}; press the key again`);
    driver.change({ events: warning('later', 200) });
    driver.pass(100);
    driver.type('r');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ client: next.split('/')[0] }] } }]);
  });

  test('a key does nothing if its row disappeared while the order of the list was paused', () => {
    const driver = openWarnings();
    driver.type('j');
    driver.change({ events: { 'web-2/http': null } });
    driver.pass(350);
    expect(underCursor(driver)).toBe('web-2/http');
    driver.pass(100);
    driver.type('K');
    expect([driver.effects(), underCursor(driver)]).toEqual([[], 'web-3/http']);
  });

  test('a key does nothing after a movement to a row that was never drawn', () => {
    const driver = openWarnings();
    driver.pass(1000);
    driver.change({ events: { ...warning('late', 100), ...warning('later', 101) } });
    driver.type('jK');
    expect([driver.effects(), underCursor(driver)]).toEqual([[], 'late/http']);
    driver.type('K');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ client: 'late' }] } }]);
    driver.pass(1000);
    driver.type('jK');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ client: 'web-1' }] } }]);
  });

  test('a key does nothing in a list that was not drawn since the row under its cursor disappeared', () => {
    const driver = openWarnings();
    driver.type('j1');
    driver.pass(1000);
    driver.change({ events: { 'web-2/http': null } });
    driver.pass(1000);
    driver.type('2K');
    expect([driver.effects(), underCursor(driver)]).toEqual([[], 'web-3/http']);
    driver.type('K');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ client: 'web-3' }] } }]);
  });

  test('a key never acts on a row that a filter in the same chunk of keys hides', () => {
    const driver = openWarnings();
    driver.type(':filter web-3\rK');
    expect(driver.effects()).toMatchObject([{ change: { operations: [{ client: 'web-3' }] } }]);
    const opened = openWarnings();
    opened.change({ events: critical('web-4') });
    opened.type('G1');
    opened.pass(1000);
    opened.effects();
    opened.type('\rK');
    expect([opened.list, opened.effects(), underCursor(opened)]).toEqual([['web-4/http'], [], 'web-4/http']);
  });

  test('a menu action applies to the row for which the menu was opened, even if the row is gone', () => {
    const driver = openWarnings();
    driver.type('j');
    driver.pass(1000);
    driver.change({ events: { 'web-2/http': null } });
    driver.type('x');
    driver.type('resolve the marked\r');
    expect([driver.effects(), driver.message]).toEqual([[], 'web-2/http resolved meanwhile: nothing to resolve']);
  });
});

describe('a key that is pressed as the list moves under an unmoved cursor', () => {
  test('a key does nothing when the list moves under the cursor, and a second press acts on the row', () => {
    const driver = openList();
    driver.change({ events: critical('late', 100) });
    driver.pass(100);
    driver.type('r');
    expect([driver.store.state.layers, underCursor(driver)]).toEqual([[], 'late/http']);
    expect(driver.message).toContain('the cursor is now on late/http; press the key again');
    driver.change({ events: critical('later', 200) });
    driver.pass(100);
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence' });
    expect(underCursor(driver)).toBe('late/http');
  });

  test('a key acts on a row under the cursor that has been visible for long enough', () => {
    const driver = openList();
    driver.change({ events: critical('late', 100) });
    driver.pass(100);
    driver.pass(400);
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence' });
  });

  test('a key acts on the row that the user moved under the cursor by a filter or an order', () => {
    const driver = openList();
    driver.type('/web-3\rs');
    expect([driver.store.state.layers.at(-1)?.kind, underCursor(driver)]).toEqual(['silence', 'web-3/http']);
    const byHand = openList();
    byHand.change({ events: critical('late', 100) });
    byHand.pass(10);
    for (const key of '/web-3\rs') byHand.type(key);
    expect([byHand.store.state.layers.at(-1)?.kind, underCursor(byHand)]).toEqual(['silence', 'web-3/http']);
    const following = openList();
    following.type('j');
    following.pass(1000);
    following.type('f');
    following.type('s');
    expect([following.store.state.layers.at(-1)?.kind, underCursor(following)]).toEqual(['silence', 'web-1/http']);
    const other = openList();
    other.type('O');
    other.type('s');
    expect(other.store.state.layers.at(-1)?.kind).toBe('silence');
  });

  test('a key acts on the marked rows wherever the cursor is', () => {
    const driver = openList();
    driver.type(' g');
    driver.change({ events: critical('late', 100) });
    driver.pass(100);
    driver.type('s');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence' });
  });
});

test('the key f restores the order that following the newest row replaced, unless the user chose another one', () => {
  const driver = openList();
  const { sort } = driver.store;
  driver.type('f');
  expect(driver.store.sort.column).toBe('age');
  driver.type('f');
  expect(driver.store.sort).toEqual(sort);
  expect(driver.store.list.sort).toBeUndefined();
  driver.type('f:sort client\r');
  driver.pass(1000);
  expect(driver.store.list).toMatchObject({ following: false, sort: { column: 'client' } });
  driver.type('f');
  expect(driver.store.sort.column).toBe('age');
  driver.type('f');
  expect(driver.store.sort.column).toBe('client');
});
