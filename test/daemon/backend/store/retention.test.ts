import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Retention } from '../../../../daemon/backend/store/retention.ts';

test.each<{ name: string; records: number; changes: number; appended: number[]; first: number }>([
  { name: 'no record before the first write', records: 3, changes: 10, appended: [], first: 1 },
  { name: 'all records within the limits', records: 3, changes: 10, appended: [1, 1, 1], first: 1 },
  { name: 'no more records than allowed', records: 3, changes: 10, appended: [1, 1, 1, 1, 1], first: 3 },
  { name: 'no more changes than allowed', records: 9, changes: 10, appended: [4, 4, 4], first: 2 },
  { name: 'the newest record, whatever its size', records: 9, changes: 10, appended: [1, 1, 99], first: 3 },
  { name: 'only small records after a large one', records: 9, changes: 10, appended: [99, 1], first: 2 },
])('the retention keeps the right change records: $name', ({ records, changes, appended, first }) => {
  const retention = new Retention({ records, changes }, 0);
  for (const count of appended) retention.append(count);
  expect([retention.first, retention.last]).toEqual([first, appended.length]);
});

test('the retention keeps the same change records as a reference list, even when they are read backwards', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.nat(5), { maxLength: 40 }),
      (records, changes, appended) => {
        const retention = new Retention({ records, changes }, 0);
        const kept: number[] = [];
        for (const count of appended) {
          kept.push(count);
          while (kept.length > 1 && (kept.length > records || kept.reduce((a, b) => a + b) > changes)) kept.shift();
          const announced = retention.firstAfter(count);
          retention.append(count);
          expect(retention.first).toBe(announced);
          expect(retention.last - retention.first + 1).toBe(kept.length);
        }
        const reread = new Retention({ records, changes }, retention.last);
        for (const count of kept.toReversed()) expect(reread.prepend(count)).toBe(true);
        expect(reread.first).toBe(retention.first);
        for (const count of appended) {
          retention.append(count);
          reread.append(count);
          expect(reread.first).toBe(retention.first);
        }
      },
    ),
  );
});

test('change records beyond the retention are rejected when records are read back', () => {
  const retention = new Retention({ records: 2, changes: 10 }, 7);
  expect([retention.prepend(4), retention.prepend(4), retention.prepend(1)]).toEqual([true, true, false]);
  expect(retention.first).toBe(6);
});
