import type { Effect } from '../../../tui/state/effects.ts';
import { placedPane } from '../../../tui/state/pane.ts';
import { shownPane } from '../../../tui/state/screen-layout.ts';
import { portableSettings } from '../../../tui/state/screen-settings.ts';
import type { BulkChange } from '../../../tui/words/changes.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { byKey } from '../../support/console-rig.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const CHECK = 'http-frontend';

/** Returns event rows of these clients, the newest first, so that the list is in the order of the names. */
function rowsOf(...clients: readonly string[]): readonly EventRow[] {
  return clients.map((client, index) => anEventRow({ client, since: 1000 - index }));
}

function openConsole(...rows: readonly EventRow[]): ConsoleDriver {
  return new ConsoleDriver().goLive({ events: byKey(rows) });
}

function letters(from: string, to: string): readonly string[] {
  const codes = Array.from(
    { length: to.charCodeAt(0) - from.charCodeAt(0) + 1 },
    (_, index) => from.charCodeAt(0) + index,
  );
  return codes.map((code) => String.fromCharCode(code));
}

const key = (client: string): string => `${client}/${CHECK}`;

describe('movement keys', () => {
  test.each([
    { keys: 'j', at: 'b' },
    { keys: ':6\r', at: 'f' },
    { keys: 'jj:1\r', at: 'a' },
    { keys: ':0\r', at: 'a' },
    { keys: ':99999\r', at: 'z' },
    { keys: ':13\rk', at: 'l' },
    { keys: 'G', at: 'z' },
    { keys: 'Gg', at: 'a' },
    { keys: 'jj\u001B[A', at: 'b' },
    { keys: '\u001B[6~', at: 's' },
    { keys: '\u0004', at: 'j' },
    { keys: '\u0004\u0015', at: 'a' },
  ])('the keys $keys move the cursor to $at', ({ keys, at }) => {
    const driver = openConsole(...rowsOf(...letters('a', 'z')));
    driver.type(keys);
    expect(driver.store.list.cursor.key).toBe(key(at));
  });

  test('movement keys have the same result in one chunk and key by key', () => {
    const keys = 'jjj k\u001B[Bk  VkkkaA\u001B[6~ e';
    const atOnce = openConsole(...rowsOf(...letters('a', 'z')));
    atOnce.type(keys);
    const oneByOne = openConsole(...rowsOf(...letters('a', 'z')));
    for (const piece of keys.match(/\u001B\[\d?[A-Z~]|[^]/g) ?? []) oneByOne.type(piece);
    expect(atOnce.store.list.cursor).toEqual(oneByOne.store.list.cursor);
    expect(atOnce.store.list.marks).toEqual(oneByOne.store.list.marks);
  });

  test('movement keys have the same result wherever the terminal splits their bytes', () => {
    const paste = '/\u001B[200~web\nGr\u001B[201~\r';
    const typed = fc.constantFrom(
      'j',
      'k',
      ' ',
      'V',
      'G',
      'g',
      '\u001B[B',
      '\u001B[6~',
      '\u001B[1;5B',
      '\u001BOP?q',
      paste,
    );
    const cut = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 200, size: 'max' }), fc.infiniteStream(cut), (keys, cuts) => {
        const bytes = keys.join('');
        const atOnce = openConsole(...rowsOf(...letters('a', 'z')));
        atOnce.type(bytes);
        const inPieces = openConsole(...rowsOf(...letters('a', 'z')));
        for (let at = 0; at < bytes.length;) {
          const end = at + cuts.next().value;
          inPieces.type(bytes.slice(at, end));
          at = end;
        }
        expect(inPieces.store.list).toEqual(atOnce.store.list);
        expect(inPieces.store.state.layers.length).toBe(atOnce.store.state.layers.length);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test('the keys e and E move to the next and the previous critical event', () => {
    const driver = openConsole(
      anEventRow({ client: 'a', since: 9 }),
      anEventRow({ client: 'b', since: 8 }),
      anEventRow({ client: 'w', status: 1 }),
    );
    driver.type('Ge');
    expect(driver.message).toBe('no critical event below');
    driver.type('E');
    expect(driver.store.list.cursor.key).toBe(key('b'));
  });

  test('the rows of a list keep their positions for 400 ms after a key, then the cursor follows its event', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('j');
    driver.change({ events: byKey([anEventRow({ client: 'new', since: 5000 })]) });
    driver.pass(300);
    expect(driver.list).toEqual(['a', 'b', 'c'].map(key));
    driver.pass(200);
    expect(driver.list).toEqual(['new', 'a', 'b', 'c'].map(key));
    expect(driver.store.list.cursor).toMatchObject({ key: key('b'), index: 2 });
  });

  test('the console draws a frame when the 400 ms after a key have passed, even if nothing else happens', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.pass(1000);
    driver.store.takeEffects();
    expect(driver.store.urgency).toBe('none');
    driver.type('j');
    expect(driver.store.urgency).toBe('rows');
    driver.pass(500);
    expect([driver.store.urgency, driver.store.events.frozen]).toEqual(['none', false]);
  });

  test('the cursor of a list stays at the top until the first snapshot is complete', () => {
    const driver = new ConsoleDriver();
    driver.store.connectionChanged({ kind: 'syncing' });
    driver.store.rowsArrived({ events: byKey(rowsOf('m')) }, { replace: true, timeMs: undefined });
    driver.pass(100);
    driver.change({ events: byKey([anEventRow({ client: 'a', since: 9999 })]) });
    driver.store.connectionChanged({ kind: 'live' });
    driver.pass(100);
    expect(driver.store.list.cursor).toMatchObject({ key: key('a'), index: 0 });
  });
});

describe('a key that does nothing', () => {
  test.each([
    { view: '4', key: 's', says: 's does nothing here; it works in Events, Clients, Checks' },
    { view: '1', key: 'K', says: 'K does nothing here; it works in Events' },
    { view: '2', key: '#', says: '# does nothing here: ? lists the keys' },
  ])('the key $key after $view says where it works', ({ view, key: pressed, says }) => {
    const driver = openConsole(...rowsOf('a'));
    driver.type(`${view}${pressed}`);
    expect(driver.message).toBe(says);
  });
});

describe('marks', () => {
  test('Space marks a row and moves to the next row, V marks up to the cursor, and A clears the marks', () => {
    const driver = openConsole(...rowsOf(...letters('a', 'f')));
    driver.type(' jjV');
    expect([...driver.store.list.marks]).toEqual(['a', 'b', 'c', 'd'].map(key));
    driver.type('A');
    expect(driver.store.list.marks.size).toBe(0);
  });

  test('marks follow their events when the order changes, and disappear with the events', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('  ');
    driver.pass(500);
    driver.change({ events: { [key('a')]: null } });
    driver.pass(100);
    expect([...driver.store.list.marks]).toEqual([key('b')]);
  });

  test('the key a marks exactly the rows that the filter shows', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1', 'web-2'));
    driver.type('/web\ra');
    expect([...driver.store.list.marks]).toEqual(['web-1', 'web-2'].map(key));
  });
});

describe('the filter line', () => {
  test('the filter line filters the list while the filter is typed, and Esc clears the filter', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1'));
    driver.type('/db');
    expect(driver.list).toEqual([key('db-1')]);
    driver.escape();
    expect(driver.list).toEqual(['web-1', 'db-1'].map(key));
    expect(driver.store.state.prompt).toBeUndefined();
  });

  test('the last valid filter stays in effect while the text in the filter line is invalid', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1'));
    driver.type('/db');
    driver.type(' (\r');
    expect(driver.store.list.filter).toMatchObject({ text: 'db', problem: { position: expect.any(Number) } });
    expect(driver.store.state.prompt).toBeDefined();
    expect(driver.list).toEqual([key('db-1')]);
  });

  test('the arrow keys recall earlier filters in the filter line', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1'));
    driver.type('/web\r');
    driver.type('/\u0015db\r');
    driver.type('/\u0015\u001B[A\u001B[A');
    expect(driver.store.state.prompt?.line.text).toBe('web');
    driver.type('\u001B[B');
    expect(driver.store.state.prompt?.line.text).toBe('db');
  });

  test('an arrow key in the filter line keeps the typed text and never clears the filter', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1'));
    driver.type('/web\r');
    driver.type('/\u0015db\u001B[B');
    expect([driver.store.state.prompt?.line.text, driver.list]).toEqual(['db', [key('db-1')]]);
    driver.type('\u001B[A\u001B[B');
    expect([driver.store.state.prompt?.line.text, driver.list]).toEqual(['db', [key('db-1')]]);
  });

  test('the filter line treats pasted lines as text and executes no command', () => {
    const driver = openConsole(...rowsOf('web-1'));
    driver.type('/\u001B[200~web\rrq\n\u001B[201~');
    expect(driver.store.state.prompt?.line.text).toBe('web rq ');
    expect(driver.effects()).toEqual([]);
  });

  test('Esc clears the marks first and then the filter', () => {
    const driver = openConsole(...rowsOf('web-1', 'db-1'));
    driver.type('/web\r ');
    driver.escape();
    expect(driver.store.list).toMatchObject({ marks: new Set(), filter: { text: 'web' } });
    driver.escape();
    expect(driver.store.list.filter.text).toBe('');
  });
});

describe('the keys that silence events', () => {
  test('the key s, a reason and Ctrl-S silence the event under the cursor for an hour or until it resolves', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('jsdisk swap\u0013');
    expect(driver.effects()).toEqual([
      {
        kind: 'change',
        change: {
          verb: 'silence',
          operations: [
            {
              op: 'silence',
              subscription: 'client:b',
              check: CHECK,
              expire: 3600,
              expire_on_resolve: true,
              reason: 'disk swap',
              creator: 'alice@ops',
            },
          ],
        },
      },
    ]);
    expect(driver.store.state.layers).toEqual([]);
  });

  test('a second Ctrl-S soon after a submission does not open the command line to save the view', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('sdisk swap\u0013\u0013');
    expect(driver.store.state.layers).toEqual([]);
    driver.pass(1001);
    driver.type('\u0013');
    expect(driver.store.state.layers).toMatchObject([{ kind: 'command', line: { text: 'view save ' } }]);
  });

  test('the silence dialog requires a reason', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('s\u0013');
    expect(changes(driver)).toEqual([]);
    expect(driver.store.state.layers.at(-1)).toMatchObject({ form: { problem: 'a reason is required' } });
  });

  test('the silence dialog keeps the marked events as targets however the list changes behind the dialog', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('  s');
    driver.change({ events: byKey([anEventRow({ client: 'new', since: 5000 })]) });
    driver.type('why\u0013');
    expect(changes(driver)).toMatchObject([
      { verb: 'silence', operations: [{ subscription: 'client:a' }, { subscription: 'client:b' }] },
    ]);
    expect(driver.store.list.marks.size).toBe(0);
  });

  test('an event that resolved while the silence dialog is open is removed and named before anything is sent', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('  swhy');
    driver.change({ events: { [key('a')]: null } });
    driver.type('\u0013');
    expect(changes(driver)).toEqual([]);
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      form: { targets: [{ client: 'b' }], problem: expect.stringContaining(`a/${CHECK} resolved meanwhile`) },
    });
    driver.type('\u0013');
    expect(changes(driver)).toMatchObject([{ verb: 'silence', operations: [{ subscription: 'client:b' }] }]);
  });

  test('the silence dialog counts the events of a subscription by the subscriptions of the clients', () => {
    const driver = new ConsoleDriver().goLive({
      events: byKey([...rowsOf('web-1', 'web-2'), anEventRow({ client: 'db-1', status: 1 })]),
      clients: {
        'web-1': aClientRow({ name: 'web-1', subscriptions: ['web', 'client:web-1'] }),
        'web-2': aClientRow({ name: 'web-2', subscriptions: ['web', 'client:web-2'] }),
        'db-1': aClientRow({ name: 'db-1', subscriptions: ['db', 'client:db-1'] }),
      },
    });
    driver.type('s');
    // These keys move from the reason back to the scope, and there to the last choice but one.
    driver.type('\u001B[Z\u001B[Z\u001B[Z\u001B[Z\u001B[D\u001B[D');
    const layer = driver.store.state.layers.at(-1);
    if (layer?.kind !== 'silence') throw new Error('no silence dialog');
    expect(layer.form.scope).toBe('subscription');
    expect(driver.store.silencePreview(layer.form)).toEqual({
      total: 2,
      bySeverity: { ok: 0, warning: 0, critical: 2, unknown: 0 },
      alreadySilenced: 0,
      others: { count: 1, names: [key('web-2')] },
      overlaps: [],
    });
  });
});

describe('the key that resolves events', () => {
  test('a single warning event is resolved without a confirmation', () => {
    const driver = openConsole(anEventRow({ client: 'a', status: 1 }));
    driver.type('r');
    expect(changes(driver)).toEqual([{ verb: 'resolve', operations: [{ op: 'resolve', client: 'a', check: CHECK }] }]);
  });

  test('a critical event or several events are resolved only after a confirmation', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'confirm', button: 'Resolve 1 event' });
    driver.type('n');
    expect(driver.effects()).toEqual([]);
    driver.type('ary');
    expect(changes(driver)).toMatchObject([{ verb: 'resolve', operations: [{ client: 'a' }, { client: 'b' }] }]);
  });

  test('a resolve leaves out events that resolved while the confirmation was open', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('ar');
    driver.change({ events: { [key('a')]: null } });
    driver.type('y');
    expect(changes(driver)).toMatchObject([{ verb: 'resolve', operations: [{ client: 'b' }] }]);
  });
});

test('an action of the console applies to at most a thousand events at once', () => {
  const driver = openConsole(...rowsOf(...Array.from({ length: 1001 }, (_, index) => `c${String(index)}`)));
  for (const action of ['K', 'r']) {
    driver.type(`a${action}`);
    expect(driver.message).toContain('1,001 events at once (at most 1,000)');
    expect(driver.store.state.layers).toEqual([]);
  }
});

describe('the key that ends a silence', () => {
  const silenced = anEventRow({ client: 'a', silenced_by: ['client:a:http-frontend'] });

  test('the unsilence key names the silence and asks for a confirmation first', () => {
    const driver = new ConsoleDriver().goLive({
      events: byKey([silenced]),
      silenced: {
        'client:a:http-frontend': aSilencedRow({ id: 'client:a:http-frontend', creator: 'bob', reason: 'CHG-1' }),
      },
    });
    driver.type('u');
    const layer = driver.store.state.layers.at(-1);
    expect(layer).toMatchObject({
      lines: [expect.stringMatching(/ by bob.*CHG-1/), expect.any(String)],
    });
    driver.type('\r');
    expect(changes(driver)).toMatchObject([
      { verb: 'end-silence', operations: [{ op: 'clear', id: 'client:a:http-frontend' }] },
    ]);
  });

  test('the unsilence key says that an event is not silenced', () => {
    const driver = openConsole(anEventRow({ client: 'a' }));
    driver.type('u');
    expect(driver.message).toBe(`a/${CHECK} is not silenced`);
    expect(driver.store.state.layers).toEqual([]);
  });
});

describe('keys that change the state of the backend', () => {
  test.each(['s', 'r', 'u'])(
    'the key %s changes nothing while the console is disconnected, and a message says so',
    (name) => {
      const driver = openConsole(...rowsOf('a'));
      driver.store.connectionChanged({ kind: 'waiting', attempt: 2, retryAtMs: 0, reason: 'gone' });
      driver.type(name);
      expect(driver.message).toBe(`${name} is disabled while disconnected; R reconnects now`);
      expect([driver.effects(), driver.store.state.layers]).toEqual([[], []]);
    },
  );

  test('the key ! locks and unlocks the keys that change the backend, but not with --read-only', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('!s');
    expect(driver.message).toBe('s is disabled: the console is locked, ! unlocks it');
    driver.type('!s');
    expect(driver.store.state.layers).toHaveLength(1);

    const locked = new ConsoleDriver({ readOnly: true }).goLive({ events: byKey(rowsOf('a')) });
    locked.type('!r');
    expect(locked.message).toContain('--read-only');
    expect(locked.effects()).toEqual([]);
  });

  test('a dialog that was open when the connection was lost sends no request', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('swhy');
    driver.store.connectionChanged({ kind: 'waiting', attempt: 2, retryAtMs: 0, reason: 'gone' });
    driver.type('\u0013');
    expect(driver.effects()).toEqual([]);
    expect(driver.store.state.layers).toHaveLength(1);
  });
});

describe('a paused list', () => {
  test('a paused list counts all changes and applies them at once when the pause ends', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('p');
    driver.change({ events: { [key('a')]: null, ...byKey([anEventRow({ client: 'c' })]) } });
    driver.change({ events: byKey([anEventRow({ client: 'c', status: 1 })]) });
    driver.pass(1000);
    expect(driver.list).toEqual(['a', 'b'].map(key));
    expect(driver.store.state.paused?.unseen).toBe(3);
    driver.type('p');
    expect(driver.list).toEqual(['b', 'c'].map(key));
    expect(driver.store.events.get(key('c'))?.row.status).toBe(1);
  });

  test('a list stays paused during a new snapshot', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('p');
    driver.change({ events: byKey(rowsOf('x')) });
    driver.store.rowsArrived({ events: byKey(rowsOf('b', 'c')) }, { replace: true, timeMs: undefined });
    driver.store.connectionChanged({ kind: 'live' });
    driver.pass(100);
    expect(driver.list).toEqual(['a', 'b'].map(key));
    driver.type('p');
    expect(driver.list).toEqual(['b', 'c'].map(key));
  });
});

describe('a new snapshot', () => {
  test('the cursor and the marks stay on their events when a new snapshot arrives', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('j ');
    driver.pass(500);
    driver.goLive({ events: byKey(rowsOf('z', 'b', 'c')) });
    expect(driver.list).toEqual(['z', 'b', 'c'].map(key));
    expect(driver.store.list.cursor.key).toBe(key('c'));
    expect([...driver.store.list.marks]).toEqual([key('b')]);
  });
});

describe('the keys that quit the console', () => {
  test('the key q quits the console at the list and goes back in every other screen', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('?q');
    expect(driver.effects()).toEqual([]);
    driver.type('q');
    expect(driver.effects()).toEqual([{ kind: 'quit' }]);
  });

  test('Ctrl-C quits the console from any screen when it is pressed twice within a second', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('?\u0003');
    driver.pass(1500);
    driver.type('\u0003');
    expect(driver.effects()).toEqual([]);
    driver.type('\u0003');
    expect(driver.effects()).toEqual([{ kind: 'quit' }]);
  });

  test.each([
    { name: 'the silence dialog', keys: 's' },
    { name: 'a question', keys: 'r' },
    { name: 'a menu', keys: 'o' },
    { name: 'the command line', keys: ':' },
  ])('Ctrl-C closes $name and does not count as the first of two to quit', ({ keys }) => {
    const driver = openConsole(...rowsOf('a'));
    driver.type(keys);
    expect(driver.store.state.layers).toHaveLength(1);
    driver.type('\u0003');
    expect(driver.store.state.layers).toHaveLength(0);
    driver.type('\u0003');
    expect(driver.effects().filter(({ kind }) => kind === 'quit')).toEqual([]);
  });

  test('Ctrl-C closes the filter line and the search line of a screen', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('/a\u0003');
    expect(driver.store.state.prompt).toBeUndefined();
    driver.type('\r/a\u0003');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'detail', search: { isOpen: false } });
  });

  test.each(['', 's', 'r', '?', ':', '/', '\r'])('Ctrl-Z suspends the console, also after the keys %j', (keys) => {
    const driver = openConsole(...rowsOf('a'));
    driver.type(`${keys}\u001A`);
    expect(driver.effects()).toContainEqual({ kind: 'suspend' });
  });
});

/** Returns the requests since the last call that load an event. */
function loads(driver: ConsoleDriver): readonly Effect[] {
  return driver.store.takeEffects().filter(({ kind }) => kind === 'load-event');
}

describe('the detail pane', () => {
  test('the detail pane requests the event under the cursor once the cursor stops, and again when the event changes', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('j');
    driver.pass(100);
    expect(loads(driver)).toEqual([]);
    driver.pass(100);
    const target = { key: key('b'), client: 'b', check: CHECK };
    expect(loads(driver)).toEqual([{ kind: 'load-event', target, into: 'pane', isDetailed: false }]);
    driver.store.answers.eventFailed(target, 'pane', 'no');
    driver.pass(100);
    expect(loads(driver)).toEqual([]);
  });

  test('the detail pane requests nothing while it is hidden', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('PPj');
    driver.pass(1000);
    expect(loads(driver)).toEqual([]);
  });

  test('the pane beside the list loads the whole event under the cursor once the cursor stops', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('Pj');
    driver.pass(100);
    driver.type('j');
    driver.pass(100);
    expect(loads(driver)).toEqual([]);
    driver.pass(100);
    const target = { key: key('c'), client: 'c', check: CHECK };
    expect(loads(driver)).toEqual([{ kind: 'load-event', target, into: 'pane', isDetailed: true }]);
  });

  test('the key P shows the pane below the list, beside it, and not at all', () => {
    const driver = openConsole(...rowsOf('a'));
    const places = ['', 'P', 'P', 'P'].map((keys) => {
      driver.type(keys);
      return driver.store.state.pane.placement;
    });
    expect(places).toEqual(['below', 'beside', 'off', 'below']);
  });

  test('a narrow screen has no pane beside the list, and says how wide it must be', () => {
    const driver = new ConsoleDriver({ columns: 100 }).goLive({ events: byKey(rowsOf('a')) });
    driver.type('P');
    expect(driver.store.state.pane.placement).toBe('off');
    driver.type(':set pane beside\r');
    expect(driver.store.state.message?.text).toBe('pane beside the list: the terminal needs at least 120 columns');
    expect(shownPane(driver.store.state)).toBe('below');
  });

  test('the focus in the pane leaves the cursor where it is, and Tab and Esc give it back to the list', () => {
    const driver = openConsole(...rowsOf('a', 'b'));
    driver.type('P\tj');
    expect(driver.store.list.cursor.key).toBe(key('a'));
    driver.type('\tj');
    expect(driver.store.list.cursor.key).toBe(key('b'));
    driver.type('\t\u001B');
    driver.pass(50);
    driver.type('k');
    expect(driver.store.list.cursor.key).toBe(key('a'));
  });

  test('the key Tab says how to show the pane if there is none', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('PP\t');
    expect(driver.store.state.message?.text).toBe('there is no pane: P shows it');
  });

  test('an action acts on the marked rows while the pane has the focus', () => {
    const driver = openConsole(...rowsOf('a', 'b', 'c'));
    driver.type('P  \tr');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'confirm', title: 'Resolve 2 events' });
  });

  test('the console keeps the placement of the pane, but not its focus, when it switches to another backend', () => {
    const driver = openConsole(...rowsOf('a'));
    driver.type('P\t');
    expect(portableSettings(driver.store.state).common.pane).toEqual(placedPane('beside'));
  });
});

/** Returns the changes that the console has requested since the last call. */
function changes(driver: ConsoleDriver): readonly BulkChange[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? [effect.change] : []));
}
