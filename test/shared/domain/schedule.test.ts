import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextRunDelayMs } from '../../../shared/domain/schedule.ts';

const NOW = 1_795_000_000_000;

const splayKey = (name: string): bigint => createHash('md5').update(name).digest().readBigUInt64LE(0);

const interval = fc.integer({ min: 1, max: 86_400_000 });
const key = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });

describe('the first run of a check', () => {
  test.each<{ key: bigint; intervalMs: number; nowMs: number; expected: number }>([
    { key: 0n, intervalMs: 60_000, nowMs: 0, expected: 0 },
    { key: 5n, intervalMs: 60_000, nowMs: 0, expected: 5 },
    { key: 5n, intervalMs: 60_000, nowMs: 6, expected: 59_999 },
    { key: 60_005n, intervalMs: 60_000, nowMs: 0, expected: 5 },
    { key: 2n ** 64n - 1n, intervalMs: 1000, nowMs: 0, expected: 615 },
  ])(
    'a check with the hash $key and an interval of $intervalMs ms is due in $expected ms at $nowMs',
    ({ key: hash, intervalMs, nowMs, expected }) => {
      expect(nextRunDelayMs(hash, intervalMs, nowMs)).toBe(expected);
    },
  );

  test('the first run of a check depends on the MD5 hash of its name', () => {
    // The key is the beginning of the MD5 of an empty text, d4 1d 8c d9 8f 00 b2 04, as a little-endian number.
    expect(splayKey('')).toBe(0x04b2008fd98c1dd4n);
    expect(nextRunDelayMs(splayKey(''), 60_000, 0)).toBe(Number(0x04b2008fd98c1dd4n % 60_000n));
  });

  test('the first run of a check is within one interval and at a stable time', () => {
    fc.assert(
      fc.property(key, interval, time, time, (hash, intervalMs, first, second) => {
        const delay = nextRunDelayMs(hash, intervalMs, first);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThan(intervalMs);
        const apart = first + delay - (second + nextRunDelayMs(hash, intervalMs, second));
        expect(Math.abs(apart % intervalMs)).toBe(0);
      }),
    );
  });

  test('the first runs of a fleet spread over the interval', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let client = 0; client < 1000; client += 1) {
      const delay = nextRunDelayMs(splayKey(`web${String(client)}:disk`), 60_000, NOW);
      tenths[Math.floor(delay / 6000)] = (tenths[Math.floor(delay / 6000)] ?? 0) + 1;
    }
    for (const count of tenths) expect(count).toBeGreaterThan(60);
  });
});
