import { expect, test } from 'vitest';
import { memoryLimit, spareMemory, startLimit } from '../../../shared/domain/memory-limit.ts';

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
])('the memory limit of the state is $title', ({ setting, heap, machine, limit }) => {
  expect(memoryLimit(setting, { heap, machine })).toBe(Math.floor(limit));
});

test('the memory limit during the start is higher than the one in operation', () => {
  expect(startLimit({ heap: GIB })).toBeGreaterThan(memoryLimit(undefined, { heap: GIB, machine: 64 * GIB }));
  expect(startLimit({ heap: GIB })).toBeLessThan(GIB);
});

test.each([
  { title: 'little of what is left', used: 100, limit: 1100, spare: 100 },
  { title: 'not all of a large machine', used: 0, limit: 100 * GIB, spare: 64 * 1024 * 1024 },
  { title: 'nothing when nothing is left', used: 200, limit: 100, spare: 0 },
])('the spare memory for caches is $title', ({ used, limit, spare }) => {
  expect(spareMemory(used, limit)).toBe(spare);
});
