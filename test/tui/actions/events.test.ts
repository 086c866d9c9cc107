import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import type { BulkChange } from '../../../tui/words/changes.ts';
import type { Effect } from '../../../tui/state/effects.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../support/feed-rows.ts';

function openConsole(...clients: readonly string[]): ConsoleDriver {
  return withEvents(clients.map((client, index) => anEventRow({ client, check: 'disk', since: 1000 - index })));
}

function withEvents(events: readonly EventRow[]): ConsoleDriver {
  return new ConsoleDriver().goLive({ events: byKey(events) });
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `c${String(index).padStart(3, '0')}`);
}

function changes(driver: ConsoleDriver): readonly BulkChange[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? [effect.change] : []));
}

function top(driver: ConsoleDriver): ConsoleDriver['store']['state']['layers'][number] | undefined {
  return driver.store.state.layers.at(-1);
}

describe('the acknowledge key', () => {
  const ACKNOWLEDGED = { by: 'bob', at: 1000 };

  test('the key K acknowledges only the event under the cursor, in the name of the user', () => {
    const driver = openConsole('a', 'b');
    driver.type('jK');
    expect(changes(driver)).toEqual([
      { verb: 'acknowledge', operations: [{ op: 'acknowledge', client: 'b', check: 'disk', owner: 'alice@ops' }] },
    ]);
  });

  test('several events are acknowledged only after a confirmation, without events that resolved meanwhile', () => {
    const driver = openConsole('a', 'b', 'c');
    driver.type('aK');
    expect(top(driver)).toMatchObject({ lines: expect.arrayContaining(['a/disk', 'b/disk', 'c/disk']) });
    driver.change({ events: { 'b/disk': null } });
    driver.type('y');
    expect(changes(driver)).toMatchObject([{ operations: [{ client: 'a' }, { client: 'c' }] }]);
    expect(driver.store.list.marks.size).toBe(0);
  });

  test('the key K leaves events to those who have acknowledged them, and names the owner', () => {
    const driver = openConsole('a', 'b');
    const row = anEventRow({ client: 'a', check: 'disk', since: 1000, acknowledged: ACKNOWLEDGED });
    driver.change({ events: { 'a/disk': row } });
    driver.type('K');
    expect(driver.message).toBe('a/disk is already acknowledged by bob; :acknowledge NOTE makes you the owner');
    driver.type('aK');
    expect(changes(driver)).toMatchObject([{ operations: [{ client: 'b' }] }]);
  });

  test('an event that is silenced can be acknowledged', () => {
    const driver = openConsole('a');
    driver.change({ events: { 'a/disk': anEventRow({ client: 'a', check: 'disk', silenced_by: ['client:a:disk'] }) } });
    driver.type('K');
    expect(changes(driver)).toMatchObject([{ operations: [{ op: 'acknowledge', client: 'a' }] }]);
  });

  test.each([
    { command: 'looking into it', expected: { note: 'looking into it' } },
    { command: '2h looking into it', expected: { expire: 7200, note: 'looking into it' } },
    { command: '30m', expected: { expire: 1800 } },
  ])('":acknowledge $command" acknowledges the event with the time limit and the note', ({ command, expected }) => {
    const driver = openConsole('a');
    driver.type(`:acknowledge ${command}\r`);
    expect(changes(driver)).toEqual([
      {
        verb: 'acknowledge',
        operations: [{ op: 'acknowledge', client: 'a', check: 'disk', owner: 'alice@ops', ...expected }],
      },
    ]);
  });

  test('":acknowledge" rejects a time limit that is not a duration, and changes nothing', () => {
    const driver = openConsole('a');
    driver.type(':acknowledge 2x looking\r');
    expect(changes(driver)).toEqual([]);
    expect(driver.store.state.layers.at(-1)?.kind).toBe('command');
  });

  test('Ctrl-K removes the acknowledgement of an event', () => {
    const driver = openConsole('a');
    driver.type('\u000B');
    expect(driver.message).toBe('not acknowledged: nothing to remove');
    const row = anEventRow({ client: 'a', check: 'disk', acknowledged: ACKNOWLEDGED });
    driver.change({ events: { 'a/disk': row } });
    driver.type('\u000B');
    expect(changes(driver)).toEqual([
      { verb: 'unacknowledge', operations: [{ op: 'unacknowledge', client: 'a', check: 'disk' }] },
    ]);
  });
});

describe('the repeated silence', () => {
  test('the key S repeats the settings of the last silence for the selected events after one confirmation', () => {
    const driver = openConsole('a', 'b');
    driver.type('sdisk swap\u001B[Z\u001B[Z\u001B[Z8h\u0013');
    expect(changes(driver)[0]?.operations).toMatchObject([{ subscription: 'client:a', expire: 28_800 }]);
    driver.type('jS');
    expect(top(driver)).toMatchObject({
      kind: 'confirm',
      lines: ['b / disk', 'for 8h or until it resolves: disk swap'],
      button: 'Silence 1 event',
    });
    driver.type('y');
    expect(changes(driver)[0]?.operations).toMatchObject([
      { subscription: 'client:b', check: 'disk', expire: 28_800, reason: 'disk swap' },
    ]);
  });

  test('a repeated silence covers a subscription only if all selected clients have the subscription', () => {
    const driver = new ConsoleDriver().goLive({
      events: byKey(['a', 'b'].map((client, index) => anEventRow({ client, check: 'disk', since: 1000 - index }))),
      clients: {
        a: aClientRow({ name: 'a', subscriptions: ['web', 'client:a'] }),
        b: aClientRow({ name: 'b', subscriptions: ['db', 'client:b'] }),
      },
    });
    driver.type('swhy\u001B[Z\u001B[Z\u001B[Z\u001B[Z\u001B[D\u001B[D\u0013');
    expect(changes(driver)[0]?.operations).toMatchObject([{ subscription: 'web' }]);
    driver.type('jS');
    expect(top(driver)).toMatchObject({ lines: ['b / disk', expect.any(String)] });
  });

  test('the key S says that there is no last silence if this console has not created one', () => {
    const driver = openConsole('a');
    driver.type('S');
    expect(driver.message).toBe('no silence to repeat yet: press s to create one');
  });
});

describe('the key that deletes events', () => {
  test('the key D names the events and results that would be deleted, and Enter alone deletes nothing', () => {
    const driver = openConsole('a');
    driver.type('D');
    expect(top(driver)).toMatchObject({
      title: 'Delete 1 event',
      focused: 'cancel',
      lines: ['a/disk', expect.stringContaining('cannot be undone')],
    });
    driver.type('\r');
    expect(driver.store.state.layers).toEqual([]);
    expect(driver.effects()).toEqual([]);
    driver.type('Dy');
    expect(driver.effects()).toMatchObject([{ kind: 'delete-events', targets: [{ key: 'a/disk' }] }]);
  });
});

describe('actions on many events', () => {
  test.each([
    { keys: 'r', effect: 'change' },
    { keys: 'D', effect: 'delete-events' },
    { keys: 'K', effect: 'change' },
  ])('an action with $keys on more than 20 events requires their number to be typed', ({ keys, effect }) => {
    const driver = openConsole(...many(21));
    driver.type(`a${keys}`);
    driver.type('y');
    expect(driver.message).toBe('type 21 to confirm, Esc cancels');
    driver.type('2\u0013');
    expect(driver.effects()).toEqual([]);
    driver.type('1\u0013');
    expect(driver.effects().map(({ kind }: Effect) => kind)).toEqual([effect]);
  });

  test('an action on 20 events asks for the usual confirmation', () => {
    const driver = openConsole(...many(20));
    driver.type('ary');
    expect(changes(driver)[0]?.operations).toHaveLength(20);
  });

  test('silencing many events asks for their number, and S keeps the settings when that question is closed', () => {
    const driver = openConsole(...many(21));
    driver.type('aswhy\u0013');
    expect(top(driver)).toMatchObject({
      kind: 'confirm',
      typed: { expected: '21' },
      lines: expect.arrayContaining(['and 17 more']),
    });
    driver.escape();
    expect(driver.effects()).toEqual([]);
    driver.type('S');
    expect(top(driver)).toMatchObject({ kind: 'confirm', title: 'Silence again: 21 events' });
    driver.type('21\u0013');
    expect(changes(driver)[0]?.operations).toHaveLength(21);
  });

  test('a pasted number of events confirms an action like a typed number', () => {
    const driver = openConsole(...many(21));
    driver.type('ar');
    driver.type('\u001B[200~21\u001B[201~\u0013');
    expect(changes(driver)).toHaveLength(1);
  });
});

describe('unsilencing events', () => {
  test('the key u ends each silence of the marked events once', () => {
    const ids = ['client:a:disk', '*:disk'];
    const driver = withEvents([
      anEventRow({ client: 'a', check: 'disk', silenced_by: ids }),
      anEventRow({ client: 'b', check: 'disk', silenced_by: ['*:disk'] }),
    ]);
    driver.change({ silenced: Object.fromEntries(ids.map((id) => [id, aSilencedRow({ id })])) });
    driver.type('au');
    expect(top(driver)).toMatchObject({ title: 'End 2 silences on 2 events' });
    driver.type('y');
    expect(changes(driver)).toMatchObject([
      { verb: 'end-silence', operations: ids.map((id) => ({ op: 'clear', id })) },
    ]);
  });
});

describe('the undo of a change', () => {
  const undo = { op: 'clear', id: 'client:a:disk', if_timestamp: 7 } as const;

  test('an undo does not change the marks', () => {
    const driver = openConsole('a', 'b');
    driver.store.ownChanges.remember('1 silence created: client:a:disk', [undo], driver.clock.now());
    driver.type(' zy');
    expect(changes(driver)).toMatchObject([{ verb: 'undo' }]);
    expect([...driver.store.list.marks]).toEqual(['a/disk']);
  });

  test('the key z shows exactly what it will undo and sends exactly that to the backend', () => {
    const driver = openConsole('a');
    driver.store.ownChanges.remember('1 silence created: client:a:disk', [undo], driver.clock.now());
    driver.pass(4000);
    driver.type('z');
    expect(top(driver)).toMatchObject({
      title: 'Undo the last change',
      lines: [
        '1 silence created: client:a:disk (4s ago)',
        'ends the silence a / disk',
        'Later changes by others are kept.',
      ],
    });
    driver.type('y');
    expect(driver.effects()).toMatchObject([
      { kind: 'change', change: { verb: 'undo', operations: [undo] }, undoes: expect.any(Number) },
    ]);
  });

  test('a message names changes that cannot be undone', () => {
    const driver = openConsole('a');
    driver.type('z');
    expect(driver.message).toBe('nothing to undo: you changed nothing in the last 10 minutes');
    driver.store.ownChanges.remember('1 event resolved: a/disk', [], driver.clock.now());
    driver.type('z');
    expect(driver.message).toBe('cannot be undone: 1 event resolved: a/disk');
    driver.store.ownChanges.remember('1 silence created', [undo], driver.clock.now());
    driver.store.ownChanges.remember('2 events resolved', [], driver.clock.now());
    driver.type('z');
    expect(top(driver)).toMatchObject({ title: 'The last change cannot be undone', button: 'Undo the earlier change' });
    expect(top(driver)).toMatchObject({
      lines: [
        'cannot be undone: 2 events resolved (0s ago)',
        'an earlier change can be: 1 silence created (0s ago)',
        expect.any(String),
        'Later changes by others are kept.',
      ],
    });
    driver.type('\r');
    expect(driver.effects().filter(({ kind }) => kind === 'change')).toEqual([]);
  });

  test('the undo key sends nothing while the console is disconnected or locked', () => {
    const driver = openConsole('a');
    driver.store.ownChanges.remember('1 silence created', [undo], driver.clock.now());
    driver.type('!z');
    expect(driver.store.state.layers).toEqual([]);
  });
});
