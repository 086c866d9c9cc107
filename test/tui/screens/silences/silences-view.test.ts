import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../../../shared/schemas/audit.ts';
import type { EventRow, SilencedRow } from '../../../../shared/schemas/feed.ts';
import type { BulkChange } from '../../../../tui/words/changes.ts';
import { silenceEntryLines } from '../../../../tui/screens/silences/entry-lines.ts';
import { silenceEntry } from '../../../../tui/screens/silences/table.ts';
import { NO_SEARCH } from '../../../../tui/state/search-field.ts';
import { NOT_LOADED } from '../../../../tui/model/view-data.ts';
import { cellWidth } from '../../../../tui/terminal/cells.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { byKey } from '../../../support/console-rig.ts';
import { anEventRow, aSilencedRow } from '../../../support/feed-rows.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { silencePolicy } from '../../../support/silence-policy.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const NOW = ManualClock.START_MS / 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

function silence(client: string, about: Partial<SilencedRow> = {}): SilencedRow {
  const subscription = `client:${client}`;
  return aSilencedRow({
    id: `${subscription}:disk`,
    subscription,
    check: 'disk',
    timestamp: NOW - 60,
    expire_at: NOW + HOUR,
    ...about,
  });
}

function silencedEvent(client: string, ...ids: readonly string[]): EventRow {
  return anEventRow({ client, check: 'disk', silenced_by: ids });
}

/** Opens the view of silences with these rows. */
function onSilences(rows: readonly SilencedRow[], events: readonly EventRow[] = []): ConsoleDriver {
  const driver = new ConsoleDriver().goLive({
    events: byKey(events),
    silenced: Object.fromEntries(rows.map((row) => [row.id, row])),
  });
  driver.type('3');
  driver.pass(400);
  return driver;
}

function shown(driver: ConsoleDriver, column: string): readonly string[] {
  const { table, rows } = driver.store;
  const text = table?.columns.find(({ id }) => id === column)?.text;
  return driver.list.map((key) => text?.(rows.get(key)?.row, driver.store.nowMs) ?? '');
}

function changes(driver: ConsoleDriver): readonly BulkChange[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? [effect.change] : []));
}

describe('the states in the view of silences', () => {
  test('the view of silences lists expiring, active and pending silences, each with its end or its start', () => {
    const driver = onSilences([
      silence('later', { begin: NOW + 2 * HOUR, expire_at: NOW + 3 * HOUR }),
      silence('ever', { expire_at: null }),
      silence('until', { expire_at: null, expire_on_resolve: true }),
      silence('long'),
      silence('short', { expire_at: NOW + 29 * MINUTE }),
    ]);
    expect(shown(driver, 'state')).toEqual(['expiring', 'active', 'active', 'active', 'pending']);
    expect(shown(driver, 'target')[0]).toBe('short / disk');
    expect(shown(driver, 'ends')).toEqual(['in 28m', 'in 59m', 'never', 'when OK', 'starts in 1h']);
  });

  test('the state and the order of silences follow the clock within seconds', () => {
    const driver = onSilences([
      silence('a', { expire_at: NOW + 2 * HOUR }),
      silence('b', { expire_at: NOW + 31 * MINUTE, begin: NOW + MINUTE }),
    ]);
    expect(shown(driver, 'state')).toEqual(['active', 'pending']);
    driver.pass(2 * MINUTE * 1000);
    expect(shown(driver, 'target')).toEqual(['b / disk', 'a / disk']);
    expect(shown(driver, 'state')).toEqual(['expiring', 'active']);
  });

  test('a silence that ends while the console runs stays in the view of silences with the time of its end', () => {
    const driver = onSilences([silence('a'), silence('b')]);
    driver.change({ silenced: { 'client:a:disk': null } });
    driver.pass(MINUTE * 1000);
    expect(shown(driver, 'state')).toEqual(['active', 'ended']);
    expect(shown(driver, 'ends')[1]).toBe('1m ago');
    driver.change({ silenced: { 'client:a:disk': silence('a') } });
    driver.pass(100);
    expect(shown(driver, 'state')).toEqual(['active', 'active']);
  });
});

describe('the silences that ended before the console started', () => {
  const record: AuditRecord = {
    id: 3,
    at: NOW * 1000 - HOUR * 1000,
    action: 'silence.expire',
    target: 'client:old:disk',
    who: 'mon',
    from: null,
    how: 'expiry',
    before: { ...silence('old'), expire_at: NOW - HOUR },
    after: null,
    reason: null,
    previous: '',
    hash: 'x',
  };

  test('ended silences are requested once, when the view of silences is first opened', () => {
    const driver = new ConsoleDriver().goLive({ silenced: { 'client:a:disk': silence('a') } });
    driver.store.takeEffects();
    driver.type('3');
    driver.pass(400);
    driver.pass(1000);
    const asked = driver.store.takeEffects().filter(({ kind }) => kind === 'load-ended-silences');
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['in seconds', record],
    // Earlier versions of the backend wrote milliseconds.
    ['in milliseconds', { ...record, before: { ...silence('old'), expire_at: (NOW - HOUR) * 1000 } }],
  ])('an ended silence is listed for a day if the audit trail contains its end %s', (_unit, ended) => {
    const driver = onSilences([silence('a')]);
    driver.store.answers.endedSilencesLoaded([ended]);
    driver.pass(100);
    expect(shown(driver, 'target')).toEqual(['a / disk', 'old / disk']);
    expect(shown(driver, 'ends')).toEqual(['in 59m', '1h ago']);
    driver.pass(23 * HOUR * 1000 + 1);
    expect(driver.list).not.toContain('client:old:disk');
  });

  test('an audit record that is truncated or of another action is not listed as a silence', () => {
    const driver = onSilences([silence('a')]);
    driver.store.answers.endedSilencesLoaded([
      { ...record, action: 'silence.create' },
      { ...record, before: 'cut …' },
      { ...record, before: { id: 7 } },
    ]);
    driver.pass(100);
    expect(driver.list).toEqual(['client:a:disk']);
  });
});

describe('the events of a silence', () => {
  test('the view of silences updates the number of events of a silence as events open and resolve', () => {
    const rows = [
      silence('a'),
      aSilencedRow({ id: '*:disk', subscription: null, check: 'disk', expire_at: NOW + 2 * HOUR }),
    ];
    const driver = onSilences(rows, [silencedEvent('a', 'client:a:disk', '*:disk'), silencedEvent('b', '*:disk')]);
    expect(shown(driver, 'events')).toEqual(['1', '2']);
    driver.change({ events: { 'a/disk': null } });
    driver.pass(100);
    expect(shown(driver, 'events')).toEqual(['none', '1']);
    driver.change({ events: { 'c/disk': silencedEvent('c', '*:disk') } });
    driver.pass(100);
    expect(shown(driver, 'events')).toEqual(['none', '2']);
  });

  test('the unsilence dialog counts only events that no other silence covers', () => {
    const rows = [
      silence('a'),
      aSilencedRow({ id: '*:disk', subscription: null, check: 'disk', expire_at: NOW + 2 * HOUR }),
    ];
    const driver = onSilences(rows, [silencedEvent('a', 'client:a:disk', '*:disk'), silencedEvent('b', '*:disk')]);
    driver.type('u');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      lines: [expect.stringContaining('a / disk'), 'This unsilences no event.', 'z undoes it.'],
    });
    driver.escape();
    driver.type('au');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      lines: expect.arrayContaining(['This unsilences 2 events.']),
    });
  });
});

describe('the menu of the silences to show', () => {
  test.each([
    { search: 'current', expected: ['a', 'b', 'later'] },
    { search: 'active', expected: ['b'] },
    { search: 'pending', expected: ['later'] },
    { search: 'expiring', expected: ['a'] },
    { search: 'mine', expected: ['b'] },
    { search: 'matching no event', expected: ['b'] },
  ])('the menu of silences selects the silences that are $search', ({ search, expected }) => {
    const driver = onSilences(
      [
        silence('a', { expire_at: NOW + MINUTE, creator: 'bob' }),
        silence('b', { creator: 'alice@ops' }),
        silence('later', { begin: NOW + HOUR, expire_at: NOW + 2 * HOUR, creator: 'bob' }),
        silence('gone', { creator: 'bob' }),
      ],
      [silencedEvent('a', 'client:a:disk')],
    );
    driver.change({ silenced: { 'client:gone:disk': null } });
    driver.type(`f${search}\r`);
    expect(driver.list).toEqual(expected.map((client) => `client:${client}:disk`));
  });
});

describe('changing silences', () => {
  test('the key e extends a silence and keeps its author, and the reason names the editor', () => {
    const driver = onSilences([silence('a', { creator: 'bob', reason: 'CHG-1' })]);
    driver.type('e4h\t\tslow\u0013');
    expect(changes(driver)).toEqual([
      {
        verb: 'change-silence',
        operations: [
          {
            op: 'silence',
            subscription: 'client:a',
            check: 'disk',
            expire: 4 * HOUR,
            expire_on_resolve: false,
            reason: 'CHG-1 / alice@ops: slow',
            creator: 'bob',
          },
        ],
      },
    ]);
  });

  test('a changed silence keeps its end, and a pending silence its start, unless new times are chosen', () => {
    const pending = silence('a', {
      begin: NOW + HOUR,
      expire_at: NOW + 3 * HOUR,
      creator: 'alice@ops',
      reason: 'CHG-1',
    });
    const driver = onSilences([pending]);
    driver.type('e\u0013');
    expect(changes(driver)[0]?.operations).toMatchObject([{ begin: NOW + HOUR, expire: 2 * HOUR, reason: 'CHG-1' }]);
  });

  test('a pending silence can get another start and keeps its end', () => {
    const pending = silence('a', { begin: NOW + HOUR, expire_at: NOW + 3 * HOUR, creator: 'alice@ops' });
    const driver = onSilences([pending]);
    driver.type('e');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ form: { starts: 'at', hasStart: true } });
    // These keys move from the end past `on resolve` and the choice of the start to its time.
    driver.type('\t\t\t\u0015+2h\u0013');
    const [operation] = changes(driver)[0]?.operations ?? [];
    const begin = Math.floor(driver.clock.now() / 1000) + 2 * HOUR;
    expect(operation).toMatchObject({ begin, expire: NOW + 3 * HOUR - begin });

    driver.type('e\t\t\t\u0015+4h\u0013');
    expect(changes(driver)).toEqual([]);
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      form: { problem: 'it would end before it starts: choose another end' },
    });
  });

  test('a pending silence can be changed to start now', () => {
    const driver = onSilences([silence('a', { begin: NOW + HOUR, expire_at: NOW + 3 * HOUR })]);
    driver.type('e15m\t\t  \u0013');
    const [operation] = changes(driver)[0]?.operations ?? [];
    expect(operation).toMatchObject({ expire: 900 });
    expect(operation).not.toHaveProperty('begin', expect.any(Number));
  });

  test('a new duration of several silences counts from the start of each silence', () => {
    const driver = onSilences([silence('a'), silence('b', { begin: NOW + HOUR, expire_at: NOW + 2 * HOUR })]);
    driver.type('ae4h\u0013');
    expect(changes(driver)[0]?.operations).toMatchObject([
      { subscription: 'client:a', expire: 4 * HOUR },
      { subscription: 'client:b', expire: 4 * HOUR, begin: NOW + HOUR },
    ]);
  });

  test('several silences that are extended together keep their reasons and expire_on_resolve', () => {
    const driver = onSilences([
      silence('a', { creator: 'bob', reason: 'one', expire_on_resolve: true }),
      silence('b', { creator: 'alice@ops', reason: 'two' }),
    ]);
    driver.type('ae1h\u0013');
    expect(changes(driver)[0]?.operations).toMatchObject([
      {
        subscription: 'client:a',
        reason: 'one / alice@ops: changed',
        creator: 'bob',
        expire: HOUR,
        expire_on_resolve: true,
      },
      { subscription: 'client:b', reason: 'two', creator: 'alice@ops', expire: HOUR, expire_on_resolve: false },
    ]);
  });

  test('the console sends no change of a silence that another user has changed or ended meanwhile', () => {
    const driver = onSilences([silence('a')]);
    driver.type('e');
    driver.change({ silenced: { 'client:a:disk': silence('a', { timestamp: NOW, creator: 'carol' }) } });
    driver.type('\u0013');
    expect(changes(driver)).toEqual([]);
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      form: { problem: 'a / disk was changed by carol meanwhile: press Esc' },
    });
  });

  test('the key N creates an ended silence again with its reason and a new author', () => {
    const driver = onSilences([silence('a', { creator: 'bob', reason: 'CHG-1', expire_on_resolve: true })]);
    driver.change({ silenced: { 'client:a:disk': null } });
    driver.pass(100);
    driver.type('N\u0013');
    expect(changes(driver)).toMatchObject([
      {
        verb: 'silence',
        operations: [
          { subscription: 'client:a', expire: HOUR, reason: 'CHG-1', creator: 'alice@ops', expire_on_resolve: true },
        ],
      },
    ]);
  });

  test('the key u ends the marked silences except a silence that was created again under the same id', () => {
    const driver = onSilences([silence('a'), silence('b', { timestamp: 7 })]);
    driver.type('au');
    driver.change({ silenced: { 'client:a:disk': null } });
    driver.type('y');
    expect(changes(driver)).toEqual([
      { verb: 'end-silence', operations: [{ op: 'clear', id: 'client:b:disk', if_timestamp: 7 }] },
    ]);
  });

  test.each([{ keys: 'N', says: 'this silence has not ended: press e to change the silence' }])(
    'the key $keys on a silence to which it does not apply shows the right key',
    ({ keys, says }) => {
      const driver = onSilences([silence('a')]);
      driver.type(keys);
      expect(driver.message).toBe(says);
    },
  );

  test('the key D ends silences like the key u, but Enter alone cancels', () => {
    const driver = onSilences([silence('a')]);
    driver.type('D\r');
    expect(changes(driver)).toEqual([]);
    driver.type('D\t\r');
    expect(changes(driver)).toMatchObject([{ verb: 'end-silence', operations: [{ id: 'client:a:disk' }] }]);
  });

  test('the page of a silence has the same keys as the view of silences', () => {
    const driver = onSilences([silence('a')]);
    driver.type('\r');
    expect(driver.store.state.layers).toMatchObject([{ kind: 'silence-entry', id: 'client:a:disk' }]);
    driver.type('uy');
    expect(changes(driver)).toMatchObject([{ verb: 'end-silence', operations: [{ id: 'client:a:disk' }] }]);
  });
});

test('a hostile text of a silence sends no control sequence to the terminal and does not widen a line', () => {
  const hostile = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(hostile, hostile, hostile, (creator, reason, check) => {
      const entry = aSilencedRow({
        id: `*:${check}`,
        subscription: null,
        check,
        creator,
        reason,
        expire_at: NOW + HOUR,
      });
      const driver = onSilences([entry]);
      driver.type('\r');
      const lines = silenceEntryLines(driver.store, {
        kind: 'silence-entry',
        id: entry.id,
        load: NOT_LOADED,
        top: 0,
        search: NO_SEARCH,
      });
      for (const text of lines.map((runs) => runs.map((run) => run.text).join(''))) {
        expect(text).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        expect(cellWidth(text)).toBeLessThanOrEqual(120);
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('the console applies the silence policy of the backend before it sends a change of a silence', () => {
  const driver = new ConsoleDriver().goLive({ events: byKey([anEventRow({ client: 'a' })]) });
  driver.store.silencePolicyLoaded(silencePolicy({ reason_pattern: 'CHG-*', max_expire: HOUR / 2 }));
  driver.type('swhy\u0013');
  expect(driver.store.state.layers.at(-1)).toMatchObject({ form: { problem: 'the reason must look like CHG-*' } });
  driver.type('\u0015CHG-7\u0013');
  expect(driver.store.state.layers.at(-1)).toMatchObject({
    form: { problem: 'it must end within 30m', field: 'expires' },
  });
  driver.type('15m\u0013');
  expect(changes(driver)[0]?.operations).toMatchObject([{ expire: 900, reason: 'CHG-7' }]);
});

test('a silence of many events is sent after a confirmation, which another scope requires again', () => {
  const driver = new ConsoleDriver().goLive({
    events: byKey(['a', 'b', 'c'].map((client) => anEventRow({ client }))),
  });
  driver.store.silencePolicyLoaded(silencePolicy({ warn_matches: 3 }));
  driver.type('aswhy\u0013');
  expect(driver.store.state.layers.at(-1)).toMatchObject({
    form: { problem: 'this silence covers 3 events: press Ctrl-S again to confirm' },
  });
  expect(changes(driver)).toEqual([]);
  driver.type('\u0013');
  expect(changes(driver)).toHaveLength(1);
});

test('the lookup of an unknown silence returns undefined', () => {
  const driver = onSilences([silence('a')]);
  expect(silenceEntry(driver.store, 'client:a:disk')).toMatchObject({ state: 'active' });
  expect(silenceEntry(driver.store, 'client:never:disk')).toBeUndefined();
});

describe('a silence that has matched nothing for long', () => {
  const idle = { since: NOW - 9 * 24 * HOUR, at: NOW - 2 * 24 * HOUR, ends_at: NOW + 5 * 24 * HOUR };

  test('the view of silences marks an idle silence that covers no event, even between its windows', () => {
    const driver = onSilences(
      [
        silence('a', { idle }),
        silence('b', { idle, begin: NOW + HOUR, expire_at: NOW + 2 * HOUR }),
        silence('c'),
        silence('d', { idle }),
      ],
      [silencedEvent('d', 'client:d:disk')],
    );
    const eventsByTarget = new Map(
      shown(driver, 'target').map((target, index) => [target, shown(driver, 'events')[index]]),
    );
    expect(Object.fromEntries(eventsByTarget)).toEqual({
      'a / disk': 'idle',
      'b / disk': 'idle',
      'c / disk': 'none',
      'd / disk': '1',
    });
  });

  test('the search idle finds silences without a recent match, and !idle finds all other silences', () => {
    const driver = onSilences([silence('a', { idle }), silence('b')]);
    driver.type('/idle');
    driver.pass(400);
    expect(shown(driver, 'target')).toEqual(['a / disk']);
  });

  test('the page of an idle silence shows since when it is idle and when it ends', () => {
    const driver = onSilences([silence('a', { idle })]);
    driver.type('\r');
    const lines = silenceEntryLines(driver.store, {
      kind: 'silence-entry',
      id: 'client:a:disk',
      load: NOT_LOADED,
      top: 0,
      search: NO_SEARCH,
    });
    const text = lines
      .map((line) =>
        line
          .map((piece) => piece.text)
          .join('')
          .trim(),
      )
      .join(' ');
    expect(text).toMatch(/ idle +no matching event since .*\(1w2d ago\); ends .*\(in 4d23h\) unless an event matches/);
  });
});
