import { expect, test } from 'vitest';
import { memoryLimit, startLimit } from '../../../shared/domain/memory-limit.ts';

const GIB = 1024 ** 3;

test.each([
  { title: 'what the setting says', setting: 100, heap: 4 * GIB, machine: 24 * GIB, limit: 100 * 1024 * 1024 },
  {
    title: 'a share of the heap on a large machine',
    setting: undefined,
    heap: 4 * GIB,
    machine: 24 * GIB,
    limit: 1.6 * GIB,
  },
  {
    title: 'a share of the machine where that is less',
    setting: undefined,
    heap: 4 * GIB,
    machine: 2 * GIB,
    limit: GIB / 2,
  },
])('what is known may take $title', ({ setting, heap, machine, limit }) => {
  expect(memoryLimit(setting, { heap, machine })).toBe(Math.floor(limit));
});

test('a start comes to its end with more than may be known while nothing is refused', () => {
  expect(startLimit({ heap: GIB })).toBeGreaterThan(memoryLimit(undefined, { heap: GIB, machine: 64 * GIB }));
  expect(startLimit({ heap: GIB })).toBeLessThan(GIB);
});
