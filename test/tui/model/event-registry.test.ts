import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesSearch, parseSearch, searchText, type Search } from '../../../shared/domain/search.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { EventRecord, eventClass } from '../../../tui/model/event-record.ts';
import { EventRegistry } from '../../../tui/model/event-registry.ts';
import { EVENT_COLUMN, eventSort } from '../../../tui/model/event-sort.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

const onlyWeb = filterOf('web');

/** Search texts. Each one except the last matches all rows that the next one matches. */
const FILTERS = ['', 'w', 'we', 'web', 'web cpu', 'web c', 'db or cpu'];

function filterOf(text: string): Search {
  const search = parseSearch(text);
  if (search.kind === 'problem') throw new Error(search.message);
  return search;
}

function isMatch(search: Search, row: EventRow): boolean {
  return matchesSearch(search, { ...row, searchText: searchText(row) }, 0);
}

type Step =
  | { readonly kind: 'put'; readonly row: EventRow }
  | { readonly kind: 'gone'; readonly key: string }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'sort'; readonly column: string; readonly reversed: boolean }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'work' }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'settle' }
  | { readonly kind: 'thaw' }
  | { readonly kind: 'count' };

const SWITCH = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };

const rowArbitrary = fc
  .record({
    client: fc.constantFrom('web-1', 'web-2', 'db-1', 'db-2'),
    check: fc.constantFrom('cpu', 'disk', 'http'),
    status: fc.constantFrom(0, 1, 2, 3, 127),
    since: fc.integer({ min: 1000, max: 1005 }),
    silenced_by: fc.constantFrom<readonly string[]>([], ['a']),
    action: fc.constantFrom('create', 'flapping'),
    isInhibited: fc.boolean(),
    owner: fc.constantFrom(undefined, 'ada'),
  })
  .map(({ isInhibited, owner: by, ...about }) =>
    anEventRow({
      ...about,
      ...(isInhibited && { inhibited_by: SWITCH }),
      ...(by !== undefined && { acknowledged: { by, at: 0 } }),
    }),
  );

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: rowArbitrary.map((row): Step => ({ kind: 'put', row })) },
  { weight: 2, arbitrary: rowArbitrary.map((row): Step => ({ kind: 'gone', key: eventKey(row.client, row.check) })) },
  { weight: 3, arbitrary: fc.constantFrom(...FILTERS).map((text): Step => ({ kind: 'filter', text })) },
  fc.record({
    kind: fc.constant('sort'),
    column: fc.constantFrom('status', 'client', 'check', 'count', 'age', 'last'),
    reversed: fc.boolean(),
  }),
  fc.constantFrom<Step>(
    { kind: 'prepare' },
    { kind: 'work' },
    { kind: 'freeze' },
    { kind: 'settle' },
    { kind: 'thaw' },
    { kind: 'count' },
  ),
);

function take(registry: EventRegistry, step: Step): void {
  switch (step.kind) {
    case 'put':
      return void registry.apply(eventKey(step.row.client, step.row.check), step.row, NOW_MS);
    case 'gone':
      return void registry.apply(step.key, null, NOW_MS);
    case 'filter':
      return registry.setFilter(step.text === '' ? undefined : filterOf(step.text));
    case 'sort':
      return registry.setSort(eventSort(step));
    case 'prepare':
      return registry.prepareFilter();
    case 'work':
      return void registry.work(NOW_MS, 2);
    case 'freeze':
      return registry.freeze();
    case 'settle':
      return registry.mergeInserted();
    case 'thaw':
      return registry.thaw();
    case 'count':
      // The first call creates the counters, which are updated with every later change.
      return void registry.countsOf('web-1');
  }
}

test('the event registry lists the matching events in order, and its counters add up, after any changes', () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 60 }), (steps) => {
      const registry = new EventRegistry();
      const model = new Map<string, EventRow>();
      let filter = filterOf('');
      let sort = { column: EVENT_COLUMN, reversed: false };
      for (const step of steps) {
        take(registry, step);
        if (step.kind === 'put') model.set(eventKey(step.row.client, step.row.check), step.row);
        if (step.kind === 'gone') model.delete(step.key);
        if (step.kind === 'filter') filter = filterOf(step.text);
        if (step.kind === 'sort') sort = step;
      }
      while (!registry.work(NOW_MS, 2));
      registry.thaw();

      const expected = [...model]
        .filter(([, row]) => isMatch(filter, row))
        .map(([key, row]) => new EventRecord(key, row))
        .toSorted(eventSort(sort).compare);
      const { order } = registry;
      expect(order.slice(0, order.length).map(({ key, row }) => [key, row])).toEqual(
        expected.map(({ key, row }) => [key, row]),
      );
      for (const [index, { key }] of expected.entries()) expect(order.indexOf(key)).toBe(index);
      const classes = [...model.values()].map(eventClass);
      expect({ ...registry.counts }).toEqual({
        critical: classes.filter((kind) => kind === 'critical').length,
        warning: classes.filter((kind) => kind === 'warning').length,
        unknown: classes.filter((kind) => kind === 'unknown').length,
        ok: classes.filter((kind) => kind === 'ok').length,
        silenced: classes.filter((kind) => kind === 'silenced').length,
        flapping: [...model.values()].filter(({ action }) => action === 'flapping').length,
        inhibited: [...model.values()].filter((row) => row.inhibited_by !== undefined).length,
        acknowledged: [...model.values()].filter((row) => row.acknowledged !== undefined).length,
      });
      expect(registry.size).toBe(model.size);
      for (const client of ['web-1', 'web-2', 'db-1', 'db-2']) {
        const ofClient = [...model.values()].filter((row) => row.client === client).map(eventClass);
        const { critical, warning, unknown, ok, silenced } = registry.countsOf(client);
        expect(critical + warning + unknown + ok + silenced).toBe(ofClient.length);
        expect(critical).toBe(ofClient.filter((kind) => kind === 'critical').length);
      }
    }),
  );
});

test('events are sorted as critical, warning, unknown, OK, inhibited, silenced, with the newest first', () => {
  const registry = registryOf(
    anEventRow({ client: 'silenced', silenced_by: ['x'], since: 500 }),
    anEventRow({ client: 'quiet-warning', status: 1, inhibited_by: SWITCH, since: 600 }),
    anEventRow({ client: 'quiet-critical', status: 2, inhibited_by: SWITCH, since: 700 }),
    anEventRow({ client: 'quiet-and-silenced', status: 2, silenced_by: ['x'], inhibited_by: SWITCH, since: 400 }),
    anEventRow({ client: 'unknown', status: 3, since: 400 }),
    anEventRow({ client: 'old-critical', since: 100 }),
    anEventRow({ client: 'flapping-ok', status: 0, action: 'flapping', since: 450 }),
    anEventRow({ client: 'warning', status: 1, since: 300 }),
    anEventRow({ client: 'new-critical', since: 200 }),
  );
  expect(clients(registry)).toEqual([
    'new-critical',
    'old-critical',
    'warning',
    'unknown',
    'flapping-ok',
    'quiet-critical',
    'quiet-warning',
    'silenced',
    'quiet-and-silenced',
  ]);
});

describe('a paused order', () => {
  test('a paused list updates rows in place, keeps their positions and adds new events only at the end of the pause', () => {
    const registry = registryOf(anEventRow({ client: 'a', since: 20 }), anEventRow({ client: 'b', since: 10 }));
    registry.freeze();
    put(registry, anEventRow({ client: 'a', status: 1, since: 30 }));
    put(registry, anEventRow({ client: 'c', since: 40 }));
    expect(clients(registry)).toEqual(['a', 'b']);
    expect(registry.order.at(0)?.row.status).toBe(1);
    registry.thaw();
    expect(clients(registry)).toEqual(['c', 'b', 'a']);
  });

  test('a resolved event stays in a paused list, marked as removed, until it fails again', () => {
    const registry = registryOf(anEventRow({ client: 'a', since: 20 }), anEventRow({ client: 'b', since: 10 }));
    registry.freeze();
    registry.apply(keyOf('a'), null, NOW_MS);
    expect(registry.order.at(0)).toMatchObject({ key: keyOf('a'), isRemoved: true });
    expect(registry.get(keyOf('a'))).toBeUndefined();
    put(registry, anEventRow({ client: 'a', since: 99 }));
    expect(registry.order.at(0)).toMatchObject({ key: keyOf('a'), isRemoved: false });
    expect(registry.order.at(0)).toBe(registry.get(keyOf('a')));
  });
});

describe('a snapshot', () => {
  test('a snapshot removes events that it does not contain, but only at its end', () => {
    const registry = registryOf(anEventRow({ client: 'a', since: 20 }), anEventRow({ client: 'b', since: 10 }));
    const kept = registry.get(keyOf('b'));
    registry.beginSnapshot();
    put(registry, anEventRow({ client: 'b', since: 10 }));
    expect(clients(registry)).toEqual(['a', 'b']);
    registry.endSnapshot();
    expect(clients(registry)).toEqual(['b']);
    expect(registry.get(keyOf('b'))).toBe(kept);
  });

  test('it is unknown when an event resolved that a snapshot does not contain', () => {
    const registry = registryOf(anEventRow({ client: 'a' }), anEventRow({ client: 'b' }));
    const [a, b] = [registry.get(keyOf('a')), registry.get(keyOf('b'))];
    registry.beginSnapshot();
    registry.apply(keyOf('a'), null, NOW_MS);
    registry.endSnapshot();
    expect([a?.changedAtMs, b?.changedAtMs]).toEqual([0, 0]);
  });

  test('the events of a snapshot do not count as new; only later changes do', () => {
    const registry = new EventRegistry();
    registry.beginSnapshot();
    put(registry, anEventRow({ client: 'a' }));
    registry.endSnapshot();
    put(registry, anEventRow({ client: 'b' }));
    expect(registry.get(keyOf('a'))?.changedAtMs).toBe(0);
    expect(registry.get(keyOf('b'))?.changedAtMs).toBe(NOW_MS);
  });
});

test('a new filter is evaluated in chunks, and the old list stays until the evaluation is done', () => {
  const registry = new EventRegistry();
  for (let index = 0; index < 10; index += 1)
    put(registry, anEventRow({ client: index < 5 ? `web-${String(index)}` : `db-${String(index)}` }));
  registry.setFilter(onlyWeb);
  expect(registry.work(NOW_MS, 4)).toBe(false);
  expect(registry.order.length).toBe(10);
  put(registry, anEventRow({ client: 'web-9' }));
  expect(registry.work(NOW_MS, 4)).toBe(false);
  expect(registry.work(NOW_MS, 4)).toBe(true);
  expect(registry.order.length).toBe(6);
});

test('a filter evaluates only the rows that earlier filters have not decided', () => {
  const registry = new EventRegistry();
  for (let index = 0; index < 100; index += 1) put(registry, anEventRow({ client: `web-${String(index)}` }));
  const looked: string[] = [];
  const watched = (text: string): Search => {
    const filter = filterOf(text);
    return { ...filter, test: (row, words, now) => (looked.push(row.client), filter.test(row, words, now)) };
  };
  registry.setFilter(watched('b-7'));
  registry.finishFilter(NOW_MS);
  expect([looked.length, registry.order.length]).toEqual([100, 11]);
  registry.setFilter(watched('b-77'));
  registry.finishFilter(NOW_MS);
  expect([looked.length, registry.order.length]).toEqual([111, 1]);
  registry.setFilter(watched('b-7'));
  registry.finishFilter(NOW_MS);
  // The 89 rows that `b-7` did not match before are not tested again, nor the row that `b-77` matches.
  expect([looked.length, registry.order.length]).toEqual([121, 11]);
});

function registryOf(...rows: readonly EventRow[]): EventRegistry {
  const registry = new EventRegistry();
  for (const row of rows) put(registry, row);
  return registry;
}

function put(registry: EventRegistry, row: EventRow): void {
  registry.apply(eventKey(row.client, row.check), row, NOW_MS);
}

function keyOf(client: string): string {
  return eventKey(client, 'http-frontend');
}

function clients(registry: EventRegistry): readonly string[] {
  return registry.order.slice(0, registry.order.length).map(({ row }) => row.client);
}
