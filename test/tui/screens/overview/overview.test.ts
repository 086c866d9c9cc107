import { describe, expect, test } from 'vitest';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { EventRegistry } from '../../../../tui/model/event-registry.ts';
import { LOG_MAX, MessageLog } from '../../../../tui/model/message-log.ts';
import { overviewBoxes, type OverviewBox } from '../../../../tui/screens/overview/boxes.ts';
import { FiguresMemory, overviewFigures } from '../../../../tui/model/overview-figures.ts';
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

describe('the newly critical events', () => {
  test('newly critical events are grouped by check below their newest client, the newest first', () => {
    const events = eventsOf(
      { client: 'a', check: 'http', status: 2, since: NOW - 300 },
      { client: 'b', check: 'http', status: 2, since: NOW - 100 },
      { client: 'c', check: 'http', status: 2, since: NOW - 200 },
      { client: 'd', check: 'disk', status: 2, since: NOW - 50 },
    );
    expect(overviewFigures(events, new Map(), NOW_MS).newCritical).toEqual([
      { check: 'disk', client: 'd', since: NOW - 50, others: 0 },
      { check: 'http', client: 'b', since: NOW - 100, others: 2 },
    ]);
  });

  test.each([
    { what: 'ten minutes ago', row: { status: 2, since: NOW - 600 }, is: true },
    { what: 'longer ago', row: { status: 2, since: NOW - 601 }, is: false },
    { what: 'a warning', row: { status: 1 }, is: false },
    { what: 'unknown', row: { status: 3 }, is: false },
    { what: 'silenced', row: { status: 2, silenced_by: ['*:http'] }, is: false },
  ])('a critical event counts as new for $what: $is', ({ row, is }) => {
    const { newCritical } = overviewFigures(eventsOf({ client: 'a', check: 'http', ...row }), new Map(), NOW_MS);
    expect(newCritical.length > 0).toBe(is);
  });
});

test('a problem counts for each shared subscription of its client, and the worst come first', () => {
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

test('silenced events are counted by the id of their silence', () => {
  const events = eventsOf(
    { client: 'a', check: 'one', silenced_by: ['*:one'] },
    { client: 'b', check: 'one', silenced_by: ['*:one', 'client:b:*'] },
  );
  expect([...overviewFigures(events, new Map(), NOW_MS).silencedEvents]).toEqual([
    ['*:one', 2],
    ['client:b:*', 1],
  ]);
});

test('the figures are counted again every two seconds and not before', () => {
  const events = eventsOf({ client: 'a', check: 'http', status: 2 });
  const memory = new FiguresMemory();
  const at = (nowMs: number): number =>
    memory.of({ events, clients: new Map(), feed: { ...INITIAL_FEED_STATUS, everLive: true }, nowMs }).newCritical
      .length;
  expect(at(NOW_MS)).toBe(1);
  events.apply('a/http', null, NOW_MS);
  expect(at(NOW_MS + 1999)).toBe(1);
  expect(at(NOW_MS + 2000)).toBe(0);
});

test('the figures of very many events are counted in chunks while the last figures stay', () => {
  const events = eventsOf(...Array.from({ length: 30_000 }, (_, at) => ({ client: `c${String(at)}`, check: 'http' })));
  const memory = new FiguresMemory();
  const at = (nowMs: number): number | undefined =>
    memory.of({ events, clients: new Map(), feed: { ...INITIAL_FEED_STATUS, everLive: true }, nowMs }).newCritical[0]
      ?.others;
  expect(at(NOW_MS)).toBe(29_999);
  events.apply('c0/http', null, NOW_MS);
  expect(at(NOW_MS + 2000)).toBe(29_999);
  expect(at(NOW_MS + 2000)).toBe(29_998);
});

describe('the boxes of a column', () => {
  test('the boxes get the rows that they need, and the rest goes to those with more content', () => {
    const boxes = [box('critical', 2, 9), box('clients', 2, 2), box('problems', 2, 3)];
    // Three headings and two blank lines leave eleven rows.
    expect(placed(boxes, 'critical', 16)).toEqual([
      ['critical', 6],
      ['clients', 2],
      ['problems', 3],
    ]);
  });

  test('the last boxes are left out when there is not enough space', () => {
    const boxes = [box('critical', 2, 2), box('clients', 2, 2), box('problems', 2, 2)];
    expect(placed(boxes, 'critical', 8).map(([id]) => id)).toEqual(['critical', 'clients']);
  });

  test('the box with the focus pushes out the first ones', () => {
    const boxes = [box('critical', 2, 2), box('clients', 2, 2), box('problems', 2, 2)];
    expect(placed(boxes, 'problems', 8).map(([id]) => id)).toEqual(['clients', 'problems']);
  });
});

test('the log keeps the newest messages, each with its own number', () => {
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
  { box: 'problems', tabs: 5, filter: 'subscriptions="web servers" events>0', finds: ['a'] },
  { box: 'silences', tabs: 7, filter: '"web servers:disk (old)"', finds: ['web servers:disk (old)'] },
])('a row of $box opens the list of what it names, whatever characters the name has', ({ tabs, filter, finds }) => {
  const driver = new ConsoleDriver();
  const ends = { expire_at: driver.clock.now() / 1000 + 600 };
  driver.goLive({
    events: {
      'a/http': anEventRow({ client: 'a', check: 'http' }),
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
  driver.type('\t'.repeat(tabs));
  driver.type('\r');
  driver.pass(100);
  expect([driver.store.list.filter.text, driver.list]).toEqual([filter, finds]);
});

test('the actions box offers to undo the last own change only while it can be undone', () => {
  const driver = new ConsoleDriver().goLive({});
  const head = (): string => overviewBoxes(driver.store).actions.head;
  expect(head()).toBe('');
  driver.store.ownChanges.remember('silenced a/disk', [{ op: 'clear', id: 'client:a:disk' }], driver.clock.now());
  driver.pass(1000);
  expect(head()).toBe('z undoes your last change');
  driver.pass(10 * 60_000);
  expect(head()).toBe('');
});
