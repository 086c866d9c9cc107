import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedList } from '../../../tui/model/sorted-list.ts';

interface Item {
  rank: number;
  readonly name: number;
}

const compare = (a: Item, b: Item): number => a.rank - b.rank || a.name - b.name;

test.each<{ name: string; rankOf?: (item: Item) => number }>([
  { name: 'without ranks' },
  { name: 'with ranks that distinguish most rows', rankOf: ({ rank }) => rank },
  { name: 'with ranks that distinguish few rows', rankOf: ({ rank }) => Math.floor(rank / 10) },
])('the sorted list of rows equals a sorted array after any inserts and removals $name', ({ rankOf }) => {
  const operations = fc.array(
    fc.record({ rank: fc.integer({ min: 0, max: 50 }), remove: fc.boolean(), look: fc.boolean() }),
    { maxLength: 300 },
  );
  fc.assert(
    fc.property(operations, (steps) => {
      const list = new SortedList<Item>(compare, rankOf);
      const model: Item[] = [];
      for (const [name, { rank, remove, look }] of steps.entries()) {
        const victim = remove ? model[rank % Math.max(1, model.length)] : undefined;
        if (victim === undefined) {
          const item = { rank, name };
          list.insert(item);
          model.push(item);
        } else {
          list.remove(victim);
          model.splice(model.indexOf(victim), 1);
        }
        // The list inserts new rows one by one or in bulk, depending on when it is read.
        expect(look && list.at(rank)).toBe(look && model.toSorted(compare)[rank]);
      }
      const sorted = model.toSorted(compare);
      expect(list.toArray()).toEqual(sorted);
      expect(list.length).toBe(sorted.length);
      for (const [index, item] of sorted.entries()) {
        expect(list.indexOf(item)).toBe(index);
        expect(list.at(index)).toBe(item);
      }
      expect(list.slice(3, 9)).toEqual(sorted.slice(3, 9));
      const isOdd = ({ name }: Item): boolean => name % 2 === 1;
      const odd = list.filtered(isOdd);
      expect(odd.toArray()).toEqual(sorted.filter(isOdd));
      for (const item of sorted) expect(odd.remove(item)).toBe(isOdd(item));
      expect(list.toArray()).toEqual(sorted);
    }),
  );
});

test('the sorted list keeps many rows in order over all of its chunks', () => {
  const list = new SortedList<Item>(compare);
  const items = Array.from({ length: 10_000 }, (_, name) => ({ rank: (name * 7919) % 10_007, name }));
  for (const item of items) list.insert(item);
  expect(list.toArray()).toEqual(items.toSorted(compare));
  for (const item of items) {
    list.remove(item);
    item.rank = 10_007 - item.rank;
    list.insert(item);
  }
  expect(list.toArray()).toEqual(items.toSorted(compare));
  expect(list.slice(5000, 5003)).toEqual(items.toSorted(compare).slice(5000, 5003));
});

test('the sorted list can remove one of many rows that have no index yet', () => {
  const list = new SortedList<Item>(compare);
  const items = Array.from({ length: 10_000 }, (_, name) => ({ rank: (name * 7919) % 10_007, name }));
  for (const item of items) list.insert(item);
  const [victim, ...others] = items;
  expect([victim && list.remove(victim), victim && list.remove(victim)]).toEqual([true, false]);
  expect(list.toArray()).toEqual(others.toSorted(compare));
});

test('a row that is not in the sorted list has no index and cannot be removed', () => {
  const list = new SortedList<Item>(compare);
  list.insert({ rank: 1, name: 1 });
  expect(list.indexOf({ rank: 1, name: 1 })).toBe(-1);
  expect(list.remove({ rank: 2, name: 2 })).toBe(false);
  expect(list.at(1)).toBeUndefined();
});
