import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SmallestItems } from '../../../shared/domain/smallest-items.ts';

test('the selected items are the first ones of the sorted list, whatever the order of their arrival', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.nat({ max: 20 }), (items, count) => {
      const smallest = new SmallestItems<number>(count, (a, b) => a - b);
      for (const item of items) smallest.add(item);
      expect(smallest.sorted()).toEqual(items.toSorted((a, b) => a - b).slice(0, count));
    }),
  );
});
