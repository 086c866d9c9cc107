import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canCreateReserve,
  DISK_LEVELS,
  diskStatus,
  nextDiskLevel,
  refusesGrowth,
  diskReserveBytes,
  writeBufferBytes,
  type DiskLevel,
} from '../../../shared/domain/disk-space.ts';

const MIB = 1024 * 1024;
const FLOOR = 256 * MIB;

describe('a disk with a floor of 256 MiB', () => {
  test.each<{ free: number; level: DiskLevel; status: number; refuses: boolean }>([
    { free: 512, level: 'ok', status: 0, refuses: false },
    { free: 511, level: 'low', status: 1, refuses: false },
    { free: 256, level: 'low', status: 1, refuses: false },
    { free: 255, level: 'refusing', status: 2, refuses: true },
    { free: 128, level: 'refusing', status: 2, refuses: true },
    { free: 127, level: 'reserve', status: 2, refuses: true },
    { free: 0, level: 'reserve', status: 2, refuses: true },
  ])('a disk with $free MiB of free space has the level $level', ({ free, level, status, refuses }) => {
    const found = nextDiskLevel(undefined, free * MIB, FLOOR);
    expect([found, diskStatus(found), refusesGrowth(found)]).toEqual([level, status, refuses]);
  });

  test.each<{ name: string; from: DiskLevel; free: number; to: DiskLevel }>([
    { name: 'the level gets worse at once', from: 'ok', free: 255, to: 'refusing' },
    { name: 'a little more space does not end the rejection of writes', from: 'refusing', free: 257, to: 'refusing' },
    { name: 'a tenth more space than the floor ends the rejection of writes', from: 'refusing', free: 282, to: 'low' },
    { name: 'a little more space does not end the level low', from: 'low', free: 513, to: 'low' },
    { name: 'a tenth more space than the threshold ends the level low', from: 'low', free: 564, to: 'ok' },
    { name: 'the released reserve does not count as free space', from: 'reserve', free: 190, to: 'reserve' },
    { name: 'free space above the floor ends the level reserve', from: 'reserve', free: 300, to: 'low' },
    { name: 'much free space changes the level from reserve to OK', from: 'reserve', free: 5000, to: 'ok' },
  ])('the disk level changes with hysteresis: $name', ({ from, free, to }) =>
    expect(nextDiskLevel(from, free * MIB, FLOOR)).toBe(to),
  );
});

test('a disk level without a floor is always OK', () => {
  for (const level of [undefined, ...DISK_LEVELS]) expect(nextDiskLevel(level, 0, 0)).toBe('ok');
});

test.each<{ floor: number; buffer: number }>([
  { floor: 0, buffer: 32 },
  { floor: 1, buffer: 1 },
  { floor: 24, buffer: 1.5 },
  { floor: 256, buffer: 16 },
  { floor: 512, buffer: 32 },
  { floor: 4096, buffer: 32 },
])('the write buffer for a floor of $floor MiB is $buffer MiB', ({ floor, buffer }) => {
  expect(writeBufferBytes(floor * MIB)).toBe(buffer * MIB);
});

test('the release of the disk reserve never ends the rejection of writes, whatever the floor is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (floor, share) => {
      const free = Math.floor(share * (diskReserveBytes(floor) - 1));
      fc.pre(free >= 0 && nextDiskLevel(undefined, free, floor) === 'reserve');
      expect(refusesGrowth(nextDiskLevel('reserve', free + diskReserveBytes(floor), floor))).toBe(true);
    }),
  );
});

test('the allocation of the disk reserve never ends the level OK', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 0, max: 2 ** 43 }), (floor, free) => {
      fc.pre(canCreateReserve(free, floor));
      expect(nextDiskLevel('ok', free - diskReserveBytes(floor), floor)).toBe('ok');
    }),
  );
});
