import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from '../../../shared/domain/backoff.ts';

const LIMITS = { minMs: 500, maxMs: 30_000 };

test.each([
  [1, 500, 1000],
  [2, 500, 2000],
  [5, 500, 16_000],
  [6, 500, 30_000],
  [1000, 500, 30_000],
])('retry attempt %i waits between %i and %i ms', (attempt, lowest, highest) => {
  expect([backoffMs(attempt, 0, LIMITS), backoffMs(attempt, 1, LIMITS)]).toEqual([lowest, highest]);
});

test('every pause of the retry backoff stays within its limits', () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
      const pause = backoffMs(attempt, chance, LIMITS);
      expect(pause).toBeGreaterThanOrEqual(LIMITS.minMs);
      expect(pause).toBeLessThanOrEqual(LIMITS.maxMs);
    }),
  );
});
