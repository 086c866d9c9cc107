import { expect, test } from 'vitest';
import { memoryLimit, spareMemory, startMemoryLimit } from '../../../shared/domain/memory-limit.ts';

const GIB = 1024 ** 3;

test.each([
  { title: 'the value of the setting', setting: 100, heap: 4 * GIB, machine: 24 * GIB, limit: 100 * 1024 * 1024 },
  {
    title: 'a share of the heap on a large machine',
    setting: undefined,
    heap: 4 * GIB,
    machine: 24 * GIB,
    limit: 1.6 * GIB,
  },
  {
    title: 'a share of the memory of the machine if that is less',
    setting: undefined,
    heap: 4 * GIB,
    machine: 2 * GIB,
    limit: GIB / 2,
  },
])('the memory limit of the state is $title', ({ setting, heap, machine, limit }) => {
  expect(memoryLimit(setting, { heap, machine })).toBe(Math.floor(limit));
});

test('the memory limit during the start is higher than the limit in operation', () => {
  expect(startMemoryLimit({ heap: GIB })).toBeGreaterThan(memoryLimit(undefined, { heap: GIB, machine: 64 * GIB }));
  expect(startMemoryLimit({ heap: GIB })).toBeLessThan(GIB);
});

test.each([
  { title: 'a small share of the memory that is left', used: 100, limit: 1100, spare: 100 },
  { title: 'capped on a large machine', used: 0, limit: 100 * GIB, spare: 64 * 1024 * 1024 },
  { title: 'zero if the state uses more than its limit', used: 200, limit: 100, spare: 0 },
])('the memory that caches may use is $title', ({ used, limit, spare }) => {
  expect(spareMemory(used, limit)).toBe(spare);
});
