import { AttributePacker } from '../../../../shared/domain/attribute-set.ts';
import { CLIENT_ATTRIBUTES } from '../../../../shared/schemas/attribute-set.ts';
import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { EventRegistry } from '../../../../tui/model/event-registry.ts';
import { LOG_MAX, MessageLog } from '../../../../tui/model/message-log.ts';
import { overviewBoxes, type OverviewBox } from '../../../../tui/screens/overview/boxes.ts';
import { FiguresCache, overviewFigures } from '../../../../tui/model/overview-figures.ts';
import { layOutBoxes } from '../../../../tui/screens/overview/layout.ts';
import { INITIAL_FEED_STATUS } from '../../../../tui/model/feed-status.ts';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../../../support/feed-rows.ts';
import type { BoxId } from '../../../../tui/state/overview-position.ts';

const NOW_MS = 1_800_000_000_000;
const NOW = NOW_MS / 1000;

function eventsOf(...rows: readonly Partial<EventRow>[]): EventRegistry {
  const events = new EventRegistry();
  for (const part of rows) {
    const row = anEventRow({ since: NOW - 60, silenced_by: [], ...part });
    events.apply(`${row.client}/${row.check}`, row, NOW_MS);
  }
  return events;
}

const clientsOf = (
  subscriptions: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, ReturnType<typeof aClientRow>> =>
  new Map(
    Object.entries(subscriptions).map(([name, names]) => [name, aClientRow({ name, subscriptions: [...names] })]),
  );

describe('the newly critical events of the overview', () => {
  test('the overview groups newly critical events by check with their newest client, the largest group first', () => {
    const events = eventsOf(
      { client: 'a', check: 'http', status: 2, since: NOW - 300 },
      { client: 'b', check: 'http', status: 2, since: NOW - 100 },
      { client: 'c', check: 'http', status: 2, since: NOW - 200 },
      { client: 'd', check: 'disk', status: 2, since: NOW - 50 },
    );
    expect(overviewFigures(events, new Map(), NOW_MS).newCritical).toEqual([
      { check: 'http', client: 'b', since: NOW - 100, others: 2 },
      { check: 'disk', client: 'd', since: NOW - 50, others: 0 },
    ]);
  });

  test.each([
    { what: 'critical for ten minutes', row: { status: 2, since: NOW - 600 }, is: true },
    { what: 'critical for longer', row: { status: 2, since: NOW - 601 }, is: false },
    { what: 'a warning', row: { status: 1 }, is: false },
    { what: 'of unknown status', row: { status: 3 }, is: false },
    { what: 'silenced', row: { status: 2, silenced_by: ['*:http'] }, is: false },
  ])('the overview lists an event as newly critical if it is $what: $is', ({ row, is }) => {
    const { newCritical } = overviewFigures(eventsOf({ client: 'a', check: 'http', ...row }), new Map(), NOW_MS);
    expect(newCritical.length > 0).toBe(is);
  });
});

test('the overview counts a problem for each shared subscription of its client, the worst subscription first', () => {
  const events = eventsOf(
    { client: 'a', check: 'one', status: 1 },
    { client: 'a', check: 'two', status: 3 },
    { client: 'b', check: 'one', status: 2 },
    { client: 'b', check: 'two', status: 2, silenced_by: ['*:two'] },
    { client: 'c', check: 'one', status: 0 },
  );
  const clients = clientsOf({ a: ['web', 'linux', 'client:a'], b: ['db', 'linux'], c: ['idle'] });
  expect(overviewFigures(events, clients, NOW_MS).problems).toEqual([
    { subscription: 'linux', critical: 1, warning: 1, unknown: 1 },
    { subscription: 'db', critical: 1, warning: 0, unknown: 0 },
    { subscription: 'web', critical: 0, warning: 1, unknown: 1 },
  ]);
});

test('the overview counts silenced events by the id of their silence', () => {
  const events = eventsOf(
    { client: 'a', check: 'one', silenced_by: ['*:one'] },
    { client: 'b', check: 'one', silenced_by: ['*:one', 'client:b:*'] },
  );
  expect([...overviewFigures(events, new Map(), NOW_MS).silencedEvents]).toEqual([
    ['*:one', 2],
    ['client:b:*', 1],
  ]);
});

test('the overview lists the events that escalate, the earliest next step first and paused escalations last', () => {
  const page = { handler: 'page', step: 1, of: 3, at: NOW - 60 };
  const escalations = {
    later: [{ ...page, due: NOW + 600 }],
    paused: [{ ...page, remaining: 60 }],
    ended: [{ ...page, step: 3 }],
    sooner: [{ ...page, due: NOW + 60 }],
  };
  const events = eventsOf(
    { client: 'a', check: 'none' },
    ...Object.entries(escalations).map(([check, one]) => ({ client: 'a', check, escalations: one })),
  );
  const listed = (): string[] => overviewFigures(events, new Map(), NOW_MS).escalating.map(({ check }) => check);
  expect(listed()).toEqual(['sooner', 'later', 'paused']);
  // A brief says that the escalation of the event has ended, before the full row arrives.
  events.applyBrief('a/sooner', { status: 2, action: 'create', since: NOW - 60, silenced_by: [] }, NOW_MS);
  expect(listed()).toEqual(['later', 'paused']);
});

test('the overview counts events again every two seconds and not before', () => {
  const events = eventsOf({ client: 'a', check: 'http', status: 2 });
  const memory = new FiguresCache();
  const at = (nowMs: number): number =>
    memory.figuresOf({ events, clients: new Map(), feed: { ...INITIAL_FEED_STATUS, hasBeenLive: true }, nowMs })
      .newCritical.length;
  expect(at(NOW_MS)).toBe(1);
  events.apply('a/http', null, NOW_MS);
  expect(at(NOW_MS + 1999)).toBe(1);
  expect(at(NOW_MS + 2000)).toBe(0);
});

test('the overview counts very many events in chunks while the last counts stay', () => {
  const events = eventsOf(...Array.from({ length: 30_000 }, (_, at) => ({ client: `c${String(at)}`, check: 'http' })));
  const memory = new FiguresCache();
  const at = (nowMs: number): number | undefined =>
    memory.figuresOf({ events, clients: new Map(), feed: { ...INITIAL_FEED_STATUS, hasBeenLive: true }, nowMs })
      .newCritical[0]?.others;
  expect(at(NOW_MS)).toBe(29_999);
  events.apply('c0/http', null, NOW_MS);
  expect(at(NOW_MS + 2000)).toBe(29_999);
  expect(at(NOW_MS + 2000)).toBe(29_998);
});

describe('the boxes of the overview', () => {
  test('each box of the overview gets the rows that it needs, and boxes with more content share free rows', () => {
    const boxes = [box('critical', 2, 9), box('clients', 2, 2), box('problems', 2, 3)];
    // Of the 16 rows, three headings and two blank lines leave eleven.
    expect(placed(boxes, 'critical', 16)).toEqual([
      ['critical', 6],
      ['clients', 2],
      ['problems', 3],
    ]);
  });

  test('the last boxes of the overview are left out if there is not enough space', () => {
    const boxes = [box('critical', 2, 2), box('clients', 2, 2), box('problems', 2, 2)];
    expect(placed(boxes, 'critical', 8).map(([id]) => id)).toEqual(['critical', 'clients']);
  });

  test('the focused box of the overview is shown in place of the first boxes if there is not enough space', () => {
    const boxes = [box('critical', 2, 2), box('clients', 2, 2), box('problems', 2, 2)];
    expect(placed(boxes, 'problems', 8).map(([id]) => id)).toEqual(['clients', 'problems']);
  });
});

test('a box of the overview without content takes one line, below the other boxes, and Tab skips it', () => {
  const none = { ...box('upgrade', 2, 0), empty: 'no open plan' };
  expect(placed([box('critical', 2, 2), none, { ...none, id: 'server' }], 'critical', 20)).toEqual([
    ['critical', 2],
    ['upgrade', 0],
    ['server', 0],
  ]);
  const driver = new ConsoleDriver();
  driver.goLive({ events: { 'a/http': anEventRow({ client: 'a', check: 'http' }) } });
  driver.type('1');
  driver.pass(400);
  const visited = new Set<BoxId>();
  for (let tab = 0; tab < 20; tab++) {
    driver.type('\t');
    visited.add(driver.store.state.overview.box);
  }
  expect([...visited]).not.toContain('upgrade');
  expect([...visited]).toContain('server');
});

test('the message log of the console keeps the newest messages, each with its own number', () => {
  const log = new MessageLog();
  for (let number = 1; number <= LOG_MAX + 5; number++) {
    log.add({ text: `message ${String(number)}`, tone: 'note', atMs: NOW_MS });
  }
  expect(log.newestFirst).toHaveLength(LOG_MAX);
  expect(log.newestFirst[0]).toMatchObject({ id: LOG_MAX + 5, text: `message ${String(LOG_MAX + 5)}` });
  expect(log.newestFirst.at(-1)).toMatchObject({ id: 6 });
});

function box(id: BoxId, least: number, wants: number): OverviewBox {
  const rows = Array.from({ length: wants }, (_, key) => ({ key: String(key), left: [], right: [] }));
  return { id, title: id, head: '', rows, empty: '', least, most: 10 };
}

function placed(boxes: readonly OverviewBox[], focused: BoxId, height: number): readonly (readonly [BoxId, number])[] {
  return layOutBoxes(boxes, focused, height).map(({ box: { id }, rows }) => [id, rows]);
}

test.each([
  { box: 'problems', filter: 'subscription="web servers" !silenced', finds: ['a/http'] },
  { box: 'silences', filter: '"web servers:disk (old)"', finds: ['web servers:disk (old)'] },
])(
  'a row of the overview box $box opens the list for its name, whatever characters the name contains',
  ({ box: name, filter, finds }) => {
    const driver = new ConsoleDriver();
    const ends = { expire_at: driver.clock.now() / 1000 + 600 };
    driver.goLive({
      events: {
        'a/http': {
          ...anEventRow({ client: 'a', check: 'http' }),
          [CLIENT_ATTRIBUTES]: new AttributePacker().pack('a', [['subscriptions', ['web servers']]]),
        },
        'b/http': anEventRow({ client: 'b', check: 'http' }),
      },
      clients: {
        a: aClientRow({ name: 'a', subscriptions: ['web servers', 'client:a'] }),
        b: aClientRow({ name: 'b', subscriptions: ['client:b'] }),
      },
      silenced: {
        'web servers:disk (old)': aSilencedRow({ id: 'web servers:disk (old)', subscription: 'web servers', ...ends }),
        'web:disk': aSilencedRow({ id: 'web:disk', subscription: 'web', expire_at: null }),
      },
    });
    driver.type('1');
    driver.pass(400);
    for (let tab = 0; tab < 20 && driver.store.state.overview.box !== name; tab++) driver.type('\t');
    driver.type('\r');
    driver.pass(100);
    expect([driver.store.list.filter.text, driver.list]).toEqual([filter, finds]);
  },
);

test('the actions box of the overview offers the undo of the last own change only while that is possible', () => {
  const driver = new ConsoleDriver().goLive({});
  const head = (): string => overviewBoxes(driver.store).actions.head;
  expect(head()).toBe('');
  driver.store.ownChanges.remember('silenced a/disk', [{ op: 'clear', id: 'client:a:disk' }], driver.clock.now());
  driver.pass(1000);
  expect(head()).toBe('z undoes your last change');
  driver.pass(10 * 60_000);
  expect(head()).toBe('');
});
