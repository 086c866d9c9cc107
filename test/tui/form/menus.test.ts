import { describe, expect, test } from 'vitest';
import { byKey } from '../../support/console-rig.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const DOWN = '\u001B[B';
const UP = '\u001B[A';

function openConsole(): ConsoleDriver {
  return new ConsoleDriver().goLive({
    events: byKey([
      anEventRow({ client: 'a', check: 'z', since: 30, last: 100, occurrences: 5 }),
      anEventRow({ client: 'b', check: 'y', since: 20, last: 300, occurrences: 9, status: 1 }),
      anEventRow({ client: 'c', check: 'x', since: 40, last: 200, occurrences: 1, status: 1 }),
    ]),
  });
}

const clients = (driver: ConsoleDriver): string => driver.list.map((key) => key.slice(0, 1)).join('');

describe('sorting events', () => {
  test.each([
    { column: 'status', order: 'acb' },
    { column: 'client', order: 'abc' },
    { column: 'check', order: 'cba' },
    { column: 'count', order: 'bac' },
    { column: 'age', order: 'cab' },
    { column: 'last', order: 'bca' },
  ])('sorting events by $column yields $order, and the reverse order', ({ column, order }) => {
    const driver = openConsole();
    driver.type(`o${column}\r`);
    expect(clients(driver)).toBe(order);
    driver.type('O');
    expect(clients(driver)).toBe(Array.from(order).toReversed().join(''));
  });

  test('the keys > and < sort by the next and the previous column and wrap around', () => {
    const driver = openConsole();
    driver.type('>');
    expect(driver.store.sort.column).toBe('client');
    driver.type('<<');
    expect(driver.store.sort.column).toBe('last');
  });

  test('the list of events stays sorted while rows change, appear and disappear', () => {
    const driver = openConsole();
    driver.type('ocount\r');
    driver.pass(500);
    driver.change({
      events: {
        'c/x': anEventRow({ client: 'c', check: 'x', since: 40, last: 201, occurrences: 10, status: 1 }),
        'd/w': anEventRow({ client: 'd', check: 'w', occurrences: 7 }),
        'a/z': null,
      },
    });
    driver.pass(500);
    expect(clients(driver)).toBe('cbd');
  });

  test('a new sort order keeps the cursor on its event', () => {
    const driver = openConsole();
    driver.type('G');
    driver.pass(500);
    driver.type('oclient\r');
    expect(driver.store.list.cursor).toMatchObject({ key: 'b/y', index: 1 });
  });

  test('a sort order applies to the filtered rows and stays when the filter is cleared', () => {
    const driver = openConsole();
    driver.type('/!client=a\r');
    driver.type('oclient\rO');
    expect(clients(driver)).toBe('cb');
    driver.escape();
    driver.pass(500);
    expect(clients(driver)).toBe('cba');
  });
});

describe('a menu', () => {
  test('a menu opens on the current value, its cursor wraps around, and Esc changes nothing', () => {
    const driver = openConsole();
    driver.type(`o${UP}`);
    expect(driver.store.state.layers.at(-1)).toMatchObject({ at: 'last' });
    driver.type(DOWN);
    expect(driver.store.state.layers.at(-1)).toMatchObject({ at: 'status' });
    driver.escape();
    expect([driver.store.state.layers, driver.store.sort.column]).toEqual([[], 'status']);
  });

  test('letters typed in a menu narrow down its entries and are never commands', () => {
    const driver = openConsole();
    driver.type('oq');
    expect(driver.effects()).toEqual([]);
    driver.type('\r');
    expect(driver.store.state.layers).toHaveLength(1);
    driver.type('\u007Fag\r');
    expect(driver.store.sort.column).toBe('age');
  });

  test('the menu of columns stays open, and columns without a tick are hidden', () => {
    const driver = openConsole();
    driver.type(`C${DOWN} ${DOWN} `);
    expect([...driver.store.list.hidden]).toEqual(['check', 'count']);
    driver.type(' ');
    driver.escape();
    expect([...driver.store.list.hidden]).toEqual(['check']);
  });

  test('the menu of views switches to the chosen view', () => {
    const driver = openConsole();
    driver.type('vcli\r');
    expect(driver.store.state.view).toBe('clients');
  });
});

describe('the menu of actions', () => {
  test('an action of the menu does the same as its key, on the rows that were marked when the menu was opened', () => {
    const driver = openConsole();
    driver.type(' x');
    driver.change({ events: { 'new/k': anEventRow({ client: 'new', check: 'k', since: 999 }) } });
    driver.pass(1000);
    driver.type('silence the\r');
    expect(driver.store.state.layers).toMatchObject([{ kind: 'silence', form: { targets: [{ key: 'a/z' }] } }]);
  });

  test('the menu of actions says why a change is not possible, and sends none', () => {
    const driver = openConsole();
    driver.type('!xresolve\r');
    expect(driver.message).toContain('disabled: the console is locked, ! unlocks it');
    expect(driver.effects()).toEqual([]);
    expect(driver.store.state.layers).toHaveLength(1);
  });
});
