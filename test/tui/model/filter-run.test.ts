import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSearchMatch } from '../../../shared/domain/search-language.ts';
import { parseSearch, type Search } from '../../../shared/domain/search.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { EventRegistry } from '../../../tui/model/event-registry.ts';
import { eventSort } from '../../../tui/model/event-sort.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const NOW_MS = 1_767_225_600_000;
const COUNT = 3000;

const rowOf = (index: number, status = 2) =>
  anEventRow({ client: `web-${String(index).padStart(4, '0')}`, status, since: 1_767_225_600 - index });
const keyOf = (index: number): string => eventKey(rowOf(index).client, rowOf(index).check);
const put = (registry: EventRegistry, index: number, status?: number): void =>
  void registry.apply(keyOf(index), rowOf(index, status), NOW_MS);

function searchOf(text: string): Search | undefined {
  const search = parseSearch(text);
  if (search.kind === 'problem') throw new Error(search.message);
  return text === '' ? undefined : search;
}

function registryOf(count: number): EventRegistry {
  const registry = new EventRegistry();
  for (let index = 0; index < count; index += 1) put(registry, index);
  return registry;
}

describe('the first matches of a new filter', () => {
  test('the first matches of a new filter are shown before all matches are known', () => {
    const registry = registryOf(COUNT);
    registry.setFilter(searchOf('5'));
    expect(registry.work(NOW_MS)).toBe(false);
    const found = registry.firstMatches?.slice(0, 3).map(({ row }) => row.client);
    expect(found).toEqual(['web-0005', 'web-0015', 'web-0025']);
    expect([registry.order.length, registry.isFilterAwaited]).toEqual([COUNT, true]);
    const { length = 0 } = registry.firstMatches ?? {};
    registry.showBeginning();
    expect([registry.order.length, registry.isBeginningOnly, registry.isFilterAwaited]).toEqual([length, true, false]);
    registry.finishFilter(NOW_MS);
    expect([registry.order.length, registry.isBeginningOnly]).toEqual([813, false]);
  });

  test('the first matches of a filter are not searched separately if few events match or only time has passed', () => {
    const registry = registryOf(COUNT);
    registry.setFilter(searchOf('2999'));
    while (registry.firstMatches !== undefined) registry.work(NOW_MS);
    expect([registry.filtering, registry.order.length]).toEqual([true, COUNT]);
    registry.finishFilter(NOW_MS);
    expect(registry.order.length).toBe(1);
    registry.setFilter(searchOf('5'));
    registry.finishFilter(NOW_MS);
    registry.refilter();
    expect(registry.firstMatches).toBeUndefined();
  });

  test('a new sort order discards the first matches of a filter in the old order', () => {
    const registry = registryOf(COUNT);
    registry.setFilter(searchOf('5'));
    registry.work(NOW_MS);
    registry.showBeginning();
    registry.setSort(eventSort({ column: 'client', reversed: true }));
    expect([registry.isBeginningOnly, registry.order.at(0)?.row.client]).toEqual([false, 'web-2999']);
    registry.work(NOW_MS);
    expect(registry.firstMatches?.slice(0, 3).map(({ row }) => row.client)).toEqual([
      'web-2995',
      'web-2985',
      'web-2975',
    ]);
  });

  test('the first matches of a filter fill the screen while the user types, with the cursor on its final row', () => {
    const driver = new ConsoleDriver();
    const events = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [keyOf(index), rowOf(index)]));
    driver.goLive({ events });
    driver.type(':26\r/');
    driver.type('5');
    const { store } = driver;
    expect([store.rows.isBeginningOnly, store.list.cursor.key, store.list.cursor.index]).toEqual([true, keyOf(25), 2]);
    while (store.isFiltering) driver.frame();
    expect([driver.list.length, store.list.cursor.key, store.list.cursor.index]).toEqual([813, keyOf(25), 2]);
  });

  test('the first matches of a filter are not shown while they do not contain the row under the cursor', () => {
    const driver = new ConsoleDriver();
    const events = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [keyOf(index), rowOf(index)]));
    driver.goLive({ events });
    driver.type(':2556\r/');
    driver.type('5');
    const { store } = driver;
    while (store.isFiltering) {
      expect([store.rows.isBeginningOnly, store.list.cursor.key]).toEqual([false, keyOf(2555)]);
      driver.frame();
    }
    expect(store.list.cursor.key).toBe(keyOf(2555));
  });
});

test('the list is correct after any sequence of filters, canceled filters, sorts and changes', () => {
  const texts = ['', '5', '55', '25', '2', 'web', 'web 5', '!5', '5 or 7', 'status=crit', 'status=crit 5', 'age>1h 5'];
  const step = fc.oneof(
    fc.record({ kind: fc.constant('filter' as const), text: fc.constantFrom(...texts) }),
    fc.record({ kind: fc.constant('work' as const), slices: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('finish' as const) }),
    fc.record({ kind: fc.constant('show' as const) }),
    fc.record({ kind: fc.constant('sort' as const), column: fc.constantFrom('status', 'client') }),
    fc.record({
      kind: fc.constant('change' as const),
      index: fc.nat({ max: 1300 }),
      status: fc.constantFrom(1, 2, undefined),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const registry = registryOf(1200);
      let filter: Search | undefined;
      for (const next of steps) {
        if (next.kind === 'filter') registry.setFilter((filter = searchOf(next.text)));
        else if (next.kind === 'work') for (let slice = 0; slice < next.slices; slice++) registry.work(NOW_MS, 200);
        else if (next.kind === 'finish') registry.finishFilter(NOW_MS);
        else if (next.kind === 'show' && registry.firstMatches !== undefined) registry.showBeginning();
        else if (next.kind === 'sort') registry.setSort(eventSort({ column: next.column, reversed: false }));
        else if (next.kind === 'change' && next.status === undefined) registry.apply(keyOf(next.index), null, NOW_MS);
        else if (next.kind === 'change') put(registry, next.index, next.status);
      }
      registry.setSort(eventSort({ column: 'client', reversed: false }));
      registry.finishFilter(NOW_MS);
      const expected = [...registry.records()]
        .filter(({ row }) => filter === undefined || isSearchMatch(filter, row, NOW_MS / 1000))
        .map(({ key }) => key)
        .toSorted();
      const { order } = registry;
      expect(order.slice(0, order.length).map(({ key }) => key)).toEqual(expected);
    }),
    { numRuns: propertyRuns(60) },
  );
});
