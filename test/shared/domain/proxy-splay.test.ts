import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { proxySplayMs } from '../../../shared/domain/proxy-splay.ts';

// The time between two requests is the interval times the coverage, divided by the number of matching clients
// (completion 1.13).
test.each<{ periodMs: number; matches: number; coverage?: number; splayMs: number }>([
  { periodMs: 60_000, matches: 1, splayMs: 54_000 },
  { periodMs: 60_000, matches: 10, splayMs: 5400 },
  { periodMs: 60_000, matches: 10, coverage: 50, splayMs: 3000 },
  { periodMs: 60_000, matches: 7, coverage: 70, splayMs: 6000 },
  // There are more matching clients than milliseconds in the interval.
  { periodMs: 1000, matches: 4000, coverage: 50, splayMs: 0.125 },
  { periodMs: 60_000, matches: 0, splayMs: 0 },
  // If the next run of a cron schedule is due now, all requests are sent at once.
  { periodMs: 0, matches: 3, splayMs: 0 },
  { periodMs: -5, matches: 3, splayMs: 0 },
])(
  'the requests for $matches proxy clients in an interval of $periodMs ms are $splayMs ms apart',
  ({ periodMs, matches, coverage, splayMs }) => {
    expect(proxySplayMs(periodMs, matches, coverage)).toBe(splayMs);
  },
);

test('all requests for proxy clients fall into the covered part of the interval', () => {
  const period = fc.integer({ min: 1, max: 86_400_000 });
  const matches = fc.integer({ min: 1, max: 10_000 });
  fc.assert(
    fc.property(period, matches, fc.integer({ min: 1, max: 99 }), (periodMs, count, coverage) => {
      const lastMs = proxySplayMs(periodMs, count, coverage) * (count - 1);
      expect(lastMs).toBeLessThan(periodMs);
      expect(lastMs).toBeLessThanOrEqual((periodMs * coverage) / 100);
    }),
  );
});
