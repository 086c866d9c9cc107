import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInChunks } from '../../../shared/domain/sort-in-chunks.ts';

interface Item {
  readonly key: number;
  readonly at: number;
}

const byKey = (a: Item, b: Item): number => a.key - b.key;

function sorted(items: readonly Item[]): { readonly items: readonly Item[]; readonly steps: number } {
  const work = sortInChunks(items, byKey);
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done === true) return { items: step.value, steps };
  }
}

test('a sort in chunks yields the order of toSorted, and equal items keep their order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 1, max: 1000 }), (length, keys) => {
      const items = Array.from({ length }, (_, at) => ({ key: (at * 7919) % keys, at }));
      expect(sorted(items).items).toEqual(items.toSorted(byKey));
    }),
    { numRuns: 20 },
  );
});

test('a sort of many items is split into many steps', () => {
  const items = Array.from({ length: 100_000 }, (_, at) => ({ key: (at * 7919) % 100_003, at }));
  const { items: result, steps } = sorted(items);
  expect(steps).toBeGreaterThan(500);
  expect(result).toEqual(items.toSorted(byKey));
});
