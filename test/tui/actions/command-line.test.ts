import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { allBindings } from '../../../tui/state/keys.ts';
import { completionOf } from '../../../tui/actions/command-line.ts';
import { commandsOfContext } from '../../../tui/actions/commands.ts';
import { VIEWS } from '../../../tui/state/view-names.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { SCENE } from '../../support/console-scene.ts';
import { eventUnderCursor } from '../../../tui/state/console-state.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const TAB = '\t';
const SHIFT_TAB = '\u001B[Z';
const UP = '\u001B[A';
const DOWN = '\u001B[B';

let driver: ConsoleDriver;

beforeEach(() => {
  driver = new ConsoleDriver().goLive(SCENE);
});

function run(command: string): void {
  driver.type(`:${command}\r`);
}

function line(): string | undefined {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'command' ? layer.line.text : undefined;
}

function problem(): string | undefined {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'command' ? layer.problem : undefined;
}

function candidates(): readonly string[] {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'command' ? completionOf(driver.store, layer).candidates : [];
}

describe('a command of the command line', () => {
  test('a typed command opens a view with a filter', () => {
    run('clients');
    expect(driver.store.state.view).toBe('clients');
    run('events status=crit not silenced');
    expect(driver.store.state.view).toBe('events');
    expect(driver.store.list.filter.text).toBe('status=crit not silenced');
    expect(driver.list).toHaveLength(6);
  });

  test('a typed view command without a filter leaves the current filter unchanged', () => {
    run('filter web');
    run('clients');
    run('events');
    expect(driver.store.list.filter.text).toBe('web');
  });

  test('a typed command opens a view from the detail of an event', () => {
    driver.type('\r');
    expect(driver.store.state.layers.at(-1)?.kind).toBe('detail');
    run('clients');
    expect([driver.store.state.view, driver.store.state.layers]).toEqual(['clients', []]);
  });

  test('the sort command sorts in either direction', () => {
    run('sort client');
    expect(driver.list[0]).toBe('cache-009.eu-west-1/redis-ping');
    run('sort -client');
    expect(driver.list[0]).toBe('web-021.eu-west-1/disk-root');
  });

  test('the columns command chooses the shown columns but always keeps the column that names the row', () => {
    run('columns client, output');
    expect([...driver.store.list.hidden]).toEqual(['check', 'count', 'age', 'last', 'silence', 'escalation']);
    run('columns all');
    expect(driver.store.list.hidden.size).toBe(0);
  });

  test('a typed command does the same as the key with the name of the command', () => {
    run('pause');
    expect(driver.store.state.paused).toBeDefined();
    run('mark-all');
    expect(driver.store.list.marks.size).toBe(12);
    run('q');
    expect(driver.effects()).toContainEqual({ kind: 'quit' });
    run('help');
    expect(driver.store.state.layers.at(-1)?.kind).toBe('help');
  });

  test('a typed command without an argument opens the same menu as its key', () => {
    run('sort');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'menu', title: 'Sort events by' });
  });

  test('a typed command acts on the event that was under the cursor when the command line was opened', () => {
    driver.type('j:');
    const target = eventUnderCursor(driver.store.state);
    const [first] = Object.values(SCENE.events ?? {});
    // A worse event arrives while the operator types.
    driver.change({ events: { 'aaa/new': { ...first, client: 'aaa', check: 'new', since: first?.last } as never } });
    driver.type('silence 3h CHG-1\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      kind: 'silence',
      form: { targets: [target], custom: { text: '3h' }, reason: { text: 'CHG-1' }, field: 'submit' },
    });
  });

  test('the silence command accepts never', () => {
    run('silence never');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'silence', form: { custom: { text: 'never' } } });
  });

  test('the silence command uses the given duration and asks for the reason', () => {
    run('silence 4h');
    const layer = driver.store.state.layers.at(-1);
    expect(layer).toMatchObject({
      kind: 'silence',
      form: { custom: { text: '' }, reason: { text: '' }, field: 'reason' },
    });
  });

  test('a typed command changes nothing at the backend in read-only mode', () => {
    driver = new ConsoleDriver({ readOnly: true }).goLive(SCENE);
    run('resolve');
    run('silence 1h because');
    expect([driver.store.state.layers, driver.effects()]).toEqual([[], []]);
    expect(driver.message).toMatch(/read-only/);
  });

  test('the set command changes the appearance of the console', () => {
    run('set ascii on');
    run('set pane off');
    run('set skin light');
    expect([driver.store.state.themeChanges, driver.store.state.pane.placement]).toEqual([
      { ascii: true, skin: 'light' },
      'off',
    ]);
  });
});

describe('an invalid command of the command line', () => {
  test.each([
    ['slience 1h', 'there is no command "slience": did you mean silence?'],
    ['why', 'unknown command why: use explain'],
    ['groups told<1h', 'unknown field told: use notified (at character 1)'],
    ['xyzzy', 'there is no command "xyzzy": Tab lists them'],
    ['sort colour', 'there is no sort column "colour": status, client, check, count, age, last'],
    ['sort stauts', 'there is no sort column "stauts": did you mean status?'],
    [
      'columns client nope',
      'there is no column "nope": status, client, check, count, age, last, silence, escalation, output, all',
    ],
    ['events status>=bad', '"bad" is not a status: use ok, warn, crit, unknown or a number (at character 9)'],
    ['clients nope=1', /^there is no field "nope": use client, address/],
    ['silence soon', /^"soon" is not a duration: write a duration such as 45s/],
    ['pause now', 'pause takes no argument: remove "now"'],
    ['view', 'type :view NAME, save NAME, delete NAME'],
    ['view save two words', 'use one word of up to 40 letters, digits, ".", "-" and "_"'],
    ['view nope', 'there is no saved view "nope": there is none'],
    ['ctx prod', 'there are no contexts: add them to the configuration file'],
    ['set ascii', 'type :set ascii and one of on, off'],
    ['set skin pink', 'type :set skin and one of dark, light, deuteranopia, tritanopia, mono'],
    ['set colour on', 'there is no setting "colour": did you mean color?'],
  ])('the invalid command :%s stays on the command line and the message says what is allowed', (command, message) => {
    run(command);
    expect(line()).toBe(command);
    expect(problem()).toMatch(message);
    driver.type('x');
    expect(problem()).toBeUndefined();
  });
});

describe('the completion of the command line', () => {
  test.each([
    ['', expect.arrayContaining(['events', 'sort', 'silence', 'pause', 'quit', 'view', 'ctx'])],
    ['so', ['sort', 'sort-reverse', 'sort-left', 'sort-right']],
    ['sort -c', ['-client', '-check', '-count']],
    ['events st', ['status>=']],
    ['events (status>=w', ['status>=warn']],
    ['events web client=db-0', ['client=db-014.eu-west-1', 'client=db-002.eu-west-1', 'client=db-008.eu-west-1']],
    ['clients ver', ['version~']],
    ['set a', ['ascii']],
    ['set ascii ', ['on', 'off']],
    ['view s', ['save']],
    ['pause ', []],
  ])('the completion of the command line %j offers the expected candidates', (typed, expected) => {
    driver.type(`:${typed}`);
    expect(candidates()).toEqual(expected);
  });

  test('Tab and Shift-Tab cycle through the completion candidates, and typing continues after the chosen candidate', () => {
    driver.type(`:sort c${TAB}`);
    expect(line()).toBe('sort client');
    driver.type(TAB);
    expect(line()).toBe('sort check');
    driver.type(SHIFT_TAB + SHIFT_TAB);
    expect(line()).toBe('sort count');
    driver.type('\r');
    expect(driver.store.sort.column).toBe('count');
  });

  test('Enter executes the only completion candidate of a partly typed command', () => {
    driver.type(`:colu${TAB}`);
    expect(line()).toBe('columns ');
    driver.type(`\u0015events stat${TAB}wa${TAB}\r`);
    expect(driver.store.list.filter.text).toBe('status>=warn');
  });
});

test('the arrow keys recall earlier commands of the command line, each once and the newest first', () => {
  for (const command of ['sort client', 'sort age', 'sort client']) run(command);
  driver.type(`:${UP}`);
  expect(line()).toBe('sort client');
  driver.type(UP);
  expect(line()).toBe('sort age');
  driver.type(DOWN + DOWN);
  expect(line()).toBe('');
  driver.escape();
  expect(driver.store.state.layers).toEqual([]);
});

test('the arrow keys bring back the line being typed after the newest command of the history', () => {
  run('sort client');
  driver.type(`:sort ag${DOWN}`);
  expect(line()).toBe('sort ag');
  driver.type(UP);
  expect(line()).toBe('sort client');
  driver.type(DOWN);
  expect(line()).toBe('sort ag');
});

test('the command line accepts keys one by one and in one chunk with the same result', () => {
  const oneByOne = new ConsoleDriver().goLive(SCENE);
  for (const key of ':sort -age\r5jm') oneByOne.type(key);
  driver.type(':sort -age\r5jm');
  expect(driver.store.list).toEqual(oneByOne.store.list);
});

test('a line that is pasted into the command line is not executed', () => {
  driver.type(':\u001B[200~quit\r\nquit\r\u001B[201~');
  expect(line()).toBe('quit quit ');
  expect(driver.effects()).toEqual([]);
});

test('every action of the key table is also a command in each context in which its key works', () => {
  const places = [...VIEWS.map(({ name }) => name), ...(['detail', 'inspect', 'silence-entry', 'log'] as const)];
  const withoutName = new Set(['view', 'command', 'save-view', 'interrupt']);
  for (const place of places) {
    const names = new Set(commandsOfContext(place).map(({ name }) => name));
    const missing = allBindings()
      .filter(([action, binding]) => binding.in.includes(place) && !withoutName.has(action) && !names.has(action))
      .map(([action]) => action);
    expect(missing).toEqual([]);
  }
});

describe('saved views', () => {
  test('a view is saved with its filter, order and columns', () => {
    run('filter status>=warn');
    run('sort -age');
    run('columns client output');
    run('view save on-call');
    expect(driver.effects()).toEqual([
      {
        kind: 'save-view',
        name: 'on-call',
        view: {
          view: 'events',
          filter: 'status>=warn',
          sort: { column: 'age', reversed: true },
          columns: ['status', 'client', 'output'],
        },
      },
    ]);
  });

  test('Ctrl-S opens the command line to save a view', () => {
    driver.type('\u0013');
    expect(line()).toBe('view save ');
  });

  test('a saved view is opened by its name and from the menu, whatever filter and order were set before', () => {
    driver.store.update({
      savedViews: new Map([
        ['edge', { view: 'clients', filter: 'web', sort: undefined, columns: ['client', 'events'] }],
      ]),
    });
    run('clients nothing-like-it');
    run('sort address');
    run('view edge');
    expect(driver.store.state.view).toBe('clients');
    expect(driver.store.list).toMatchObject({ filter: { text: 'web' }, sort: undefined });
    expect(driver.store.list.hidden.has('address')).toBe(true);
    expect(driver.list).toHaveLength(5);
    run('events');
    driver.type('vedge\r');
    expect(driver.store.state.view).toBe('clients');
  });
});

test('every typed command line is executed or rejected with a message, in whichever view it was opened', () => {
  const names = commandsOfContext('events').map(({ name }) => name);
  const words = fc.constantFrom(
    ...names.concat('|-age|all|save|delete|on|off|light|2h|0|(|"|!|not|status>=warn|__proto__|ä|😀'.split('|')),
  );
  const places = fc.constantFrom('', '\r', '1', '3', '5', '7', '?', 'L');
  fc.assert(
    fc.property(places, fc.array(words, { minLength: 1, maxLength: 4 }), fc.boolean(), (place, parts, isCompleted) => {
      const one = new ConsoleDriver({ readOnly: true }).goLive(SCENE);
      one.type(place);
      one.pass(500);
      one.type(`:${parts.join(' ')}${isCompleted ? TAB + TAB + SHIFT_TAB : ''}\r`);
      const layer = one.store.state.layers.at(-1);
      expect(layer?.kind === 'command' ? layer.problem : 'done').toBeTruthy();
      expect(one.effects().filter(({ kind }) => kind === 'change' || kind === 'delete-events')).toEqual([]);
    }),
    { numRuns: propertyRuns(300) },
  );
});
