import { describe, expect, test } from 'vitest';
import type { ClientRow, EventRow } from '../../../shared/schemas/feed.ts';
import { byKey } from '../../support/console-rig.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { aClientRow, anEventRow } from '../../support/feed-rows.ts';

function clientRows(...rows: readonly Partial<ClientRow>[]): Readonly<Record<string, ClientRow>> {
  return Object.fromEntries(rows.map((about) => aClientRow(about)).map((row) => [row.name, row]));
}

function openConsole(names: readonly string[], events: readonly EventRow[] = []): ConsoleDriver {
  return new ConsoleDriver().goLive({
    clients: clientRows(...names.map((name) => ({ name }))),
    events: byKey(events),
  });
}

/** Opens the view of clients with these clients and events. */
function onClients(names: readonly string[], events: readonly EventRow[] = []): ConsoleDriver {
  const driver = openConsole(names, events);
  driver.type('5');
  return driver;
}

const TEN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const NINE_EVENTS = TEN.slice(1).map((client, index) => anEventRow({ client, since: 1000 - index }));

describe('a digit key', () => {
  test('a digit key opens its view at once', () => {
    const driver = openConsole(['a']);
    driver.type('5');
    expect(driver.store.state.view).toBe('clients');
  });

  test('keys after a digit apply to the opened view, whether they arrive in one chunk or in several', () => {
    const atOnce = openConsole(TEN, NINE_EVENTS);
    atOnce.type('5j ');
    const inPieces = openConsole(TEN, NINE_EVENTS);
    for (const key of '5j ') inPieces.type(key);
    for (const { store } of [atOnce, inPieces]) {
      expect(store.state.view).toBe('clients');
      expect([...store.list.marks]).toEqual(['b']);
      expect(store.state.views.events.marks.size).toBe(0);
    }
  });

  test('the number of a view leaves a saved view for the whole list', () => {
    const driver = openConsole([], NINE_EVENTS);
    const saved = {
      view: 'events' as const,
      filter: `client=${NINE_EVENTS[0]?.client ?? ''}`,
      sort: undefined,
      columns: undefined,
    };
    driver.store.update({ savedViews: new Map([['one-client', saved]]) });
    driver.type('8');
    expect(driver.list).toHaveLength(1);
    driver.type('2');
    expect(driver.list).toHaveLength(9);
  });

  test.each(['8', '9', '0'])('the key %s opens no view because there is no view with that number', (digit) => {
    const driver = openConsole([], NINE_EVENTS);
    driver.type(digit);
    expect(driver.store.state.view).toBe('events');
  });
});

describe('the navigation between views', () => {
  test('the key [ goes back, ] goes forward again, and - switches between the last two views', () => {
    const driver = openConsole(['a']);
    const views: string[] = [];
    for (const keys of ['5 ', '6 ', '[', '[', ']', '-', '-']) {
      driver.type(keys);
      views.push(driver.store.state.view);
    }
    expect(views).toEqual(['clients', 'checks', 'clients', 'events', 'clients', 'events', 'clients']);
  });

  test('Esc goes back to the previous view if there is nothing to close, and never leaves the view of events', () => {
    const driver = onClients(['a']);
    driver.type(' ');
    driver.escape();
    expect(driver.store.state.view).toBe('clients');
    driver.escape();
    expect(driver.store.state.view).toBe('events');
    driver.escape();
    expect(driver.store.state.view).toBe('events');
  });

  test('every view keeps its own cursor, filter, marks and order', () => {
    const driver = openConsole(TEN, NINE_EVENTS);
    driver.type('/c\r');
    driver.type('5 A/web\r');
    driver.type('O-');
    expect(driver.store.list).toMatchObject({ filter: { text: 'c' }, sort: undefined });
    driver.type('-');
    expect(driver.store.list).toMatchObject({ filter: { text: 'web' }, sort: { column: 'client', reversed: true } });
  });
});

describe('the table of clients', () => {
  test('the table of clients lists them by name and follows the feed', () => {
    const driver = onClients(['b', 'c']);
    driver.change({ clients: clientRows({ name: 'a' }) });
    driver.change({ clients: { c: null } });
    driver.pass(100);
    expect(driver.list).toEqual(['a', 'b']);
    driver.goLive({ clients: clientRows({ name: 'x' }) });
    expect(driver.list).toEqual(['x']);
  });

  test('the table of clients sorts by the worst open event, then by their number, and stays sorted', () => {
    const driver = onClients(
      ['calm', 'warned', 'worse', 'quiet'],
      [
        anEventRow({ client: 'warned', check: 'x', status: 1 }),
        anEventRow({ client: 'warned', check: 'y', status: 1 }),
        anEventRow({ client: 'worse', check: 'x', status: 2 }),
        anEventRow({ client: 'quiet', check: 'x', status: 2, silenced_by: ['s'] }),
      ],
    );
    driver.type('oevents\r');
    expect(driver.list).toEqual(['worse', 'warned', 'quiet', 'calm']);
    driver.change({ events: { 'worse/x': null, 'calm/x': anEventRow({ client: 'calm', check: 'x', status: 3 }) } });
    driver.pass(500);
    expect(driver.list).toEqual(['warned', 'calm', 'quiet', 'worse']);
  });

  test('the table of clients drops the counts of events that a new snapshot lacks', () => {
    const driver = onClients(['a', 'b'], [anEventRow({ client: 'b', check: 'x' })]);
    driver.type('oevents\r');
    expect(driver.list).toEqual(['b', 'a']);
    driver.goLive({ clients: clientRows({ name: 'a' }, { name: 'b' }), events: {} });
    driver.pass(500);
    expect(driver.list).toEqual(['a', 'b']);
  });

  test('the table of clients has the movement, mark and pause keys of the list of events', () => {
    const driver = onClients(['b', 'c', 'd']);
    driver.type('j  ');
    expect([...driver.store.list.marks]).toEqual(['c', 'd']);
    driver.change({ clients: clientRows({ name: 'a' }) });
    driver.change({ clients: { c: null } });
    driver.pass(300);
    expect(driver.list).toEqual(['b', 'c', 'd']);
    driver.pass(200);
    expect(driver.list).toEqual(['a', 'b', 'd']);
    expect(driver.store.list.cursor).toMatchObject({ key: 'd', index: 2 });
    expect([...driver.store.list.marks]).toEqual(['d']);
  });

  test('the table of clients shows no change while the feed is paused', () => {
    const driver = onClients(['a']);
    driver.type('p');
    driver.change({ clients: clientRows({ name: 'b' }) });
    driver.pass(100);
    expect(driver.list).toEqual(['a']);
    driver.type('p');
    expect(driver.list).toEqual(['a', 'b']);
  });
});

describe('the filter of a table', () => {
  const rows = {
    web: { name: 'web', version: '1.0.0', subscriptions: [] },
    db: { name: 'db', version: '2.0.0', address: '192.0.2.7', subscriptions: ['name'] },
  };
  const onTwo = (): ConsoleDriver => {
    const driver = new ConsoleDriver().goLive({ clients: clientRows(rows.web, rows.db) });
    driver.type('5 A');
    return driver;
  };

  test.each([
    { text: 'WEB', shows: ['web'] },
    { text: '!name !2.0.0', shows: ['web'] },
    { text: 'name', shows: ['db'] },
    { text: 'version=2.0.0', shows: ['db'] },
    { text: 'version~2', shows: ['db'] },
    { text: '!version~2.*', shows: ['web'] },
    { text: 'version!=2.0.0', shows: ['web'] },
    { text: 'address=192.0.2.7 db', shows: ['db'] },
    { text: 'web or address~192.0.2.7', shows: ['db', 'web'] },
    { text: '(web or db) events=0 subscriptions=name', shows: ['db'] },
    { text: '"(.*)+$"', shows: [] },
  ])('the table filter "$text" shows the clients $shows', ({ text, shows }) => {
    const driver = onTwo();
    driver.type(`/${text}\r`);
    expect(driver.list).toEqual(shows);
  });

  test('a table filter with an unknown column is rejected with the column names and leaves the filter unchanged', () => {
    const driver = onTwo();
    driver.type('/db');
    driver.type('\u001B[200~ versoin=1\u001B[201~\r');
    expect(driver.store.list.filter).toMatchObject({
      text: 'db',
      problem: { position: 3, message: expect.stringContaining('there is no field "versoin": use client, address') },
    });
    expect(driver.list).toEqual(['db']);
  });

  test('the key a in a table marks exactly the rows that the filter shows', () => {
    const driver = onTwo();
    driver.type('/db\ra');
    expect([...driver.store.list.marks]).toEqual(['db']);
  });
});

/** Opens the view of checks, whose list is requested but not loaded yet. */
function onChecks(): ConsoleDriver {
  const driver = openConsole(['a']);
  driver.type('6');
  driver.pass(400);
  return driver;
}

/** Returns how many times the checks were requested since the last call. */
function asks(driver: ConsoleDriver): number {
  return driver.store.takeEffects().filter((effect) => effect.kind === 'load-view' && effect.view === 'checks').length;
}

describe('a view with loaded data', () => {
  const check = { name: 'disk', interval: 60, subscribers: ['linux'], command: 'check-disk', next_run: null };

  test('a view is requested when it opens, and again every two seconds after the response', () => {
    const driver = onChecks();
    expect(asks(driver)).toBe(1);
    driver.pass(5000);
    expect(asks(driver)).toBe(0);
    driver.store.answers.viewLoaded('checks', [check]);
    driver.pass(10);
    expect(asks(driver)).toBe(1);
    driver.store.answers.viewLoaded('checks', [check]);
    driver.pass(1900);
    expect(asks(driver)).toBe(0);
    driver.pass(100);
    expect(asks(driver)).toBe(1);
  });

  test.each<{ name: string; hide: (driver: ConsoleDriver) => void }>([
    { name: 'another view is shown', hide: (driver) => driver.type('-') },
    { name: 'the help hides it', hide: (driver) => driver.type('?') },
    { name: 'the feed is paused', hide: (driver) => driver.type('p') },
    {
      name: 'the connection is lost',
      hide: (driver) =>
        driver.store.connectionChanged({ kind: 'waiting', attempt: 1, retryAtMs: Infinity, reason: 'gone' }),
    },
  ])('the data of a view are not requested while $name', ({ hide }) => {
    const driver = onChecks();
    driver.store.answers.viewLoaded('checks', [check]);
    asks(driver);
    hide(driver);
    driver.pass(10_000);
    expect(asks(driver)).toBe(0);
  });

  test('a view keeps its rows when a later request fails', () => {
    const driver = onChecks();
    driver.store.answers.viewLoaded('checks', [check]);
    driver.pass(2000);
    driver.store.answers.viewFailed('checks', 'the backend is busy');
    driver.pass(10);
    expect(driver.list).toEqual(['disk']);
    expect(driver.store.loads.loadOf('checks')).toMatchObject({ failure: 'the backend is busy', isLoading: false });
    driver.store.answers.viewLoaded('checks', []);
    driver.pass(10);
    expect(driver.store.loads.loadOf('checks').failure).toBeUndefined();
    expect(driver.list).toEqual([]);
  });
});
