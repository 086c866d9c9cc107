import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { v2StateChange, isFlapping, totalStateChange } from '../../../shared/domain/flapping.ts';
import { HISTORY_LENGTH, historyOf } from '../../../shared/domain/history.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const CRITICAL = 2;

/** Returns 21 statuses: critical at the positions that the predicate selects, otherwise OK. */
const where = (isCritical: (position: number) => boolean): number[] =>
  Array.from({ length: HISTORY_LENGTH }, (_, position) => (isCritical(position) ? CRITICAL : 0));

/** Computes the total state change by the documented formula, in its plainest form. */
function naive(statuses: readonly number[]): number {
  if (statuses.length < 21) return 0;
  let weight = 0.8;
  let sum = 0;
  for (const [index, status] of statuses.entries()) {
    if (index > 0 && String(status) !== String(statuses[index - 1])) sum += weight;
    weight += 0.02;
  }
  return Math.trunc((sum / 20) * 100);
}

describe('total_state_change (completion 1.5)', () => {
  test.each<{ name: string; statuses: number[]; expected: number }>([
    { name: '21 equal', statuses: where(() => false), expected: 0 },
    { name: '21 equal, not OK', statuses: where(() => true), expected: 0 },
    { name: 'alternating 0, 2', statuses: where((at) => at % 2 === 1), expected: 101 },
    { name: '20 x 0, then 2', statuses: where((at) => at === 20), expected: 6 },
    { name: '2, then 20 x 0', statuses: where((at) => at === 0), expected: 4 },
    { name: '19 x 0, 2, 0', statuses: where((at) => at === 19), expected: 11 },
    { name: '10 x 0, 2, 10 x 0', statuses: where((at) => at === 10), expected: 10 },
    { name: '2 at positions 3, 10, 17', statuses: where((at) => [3, 10, 17].includes(at)), expected: 30 },
    {
      name: '2 at positions 2, 6, 10, 14, 18',
      statuses: where((at) => [2, 6, 10, 14, 18].includes(at)),
      expected: 50,
    },
    { name: '2 at every third position', statuses: where((at) => at % 3 === 0), expected: 65 },
    {
      name: 'alternating in the first ten, then 0',
      statuses: where((at) => at < 10 && at % 2 === 1),
      expected: 45,
    },
    { name: 'alternating from position 11 on', statuses: where((at) => at >= 11 && at % 2 === 1), expected: 55 },
    { name: '20 entries', statuses: where((at) => at % 2 === 1).slice(1), expected: 0 },
    { name: 'no entry', statuses: [], expected: 0 },
    {
      name: 'a change from 1 to 2 as one from 0 to 2',
      statuses: [
        ...where(() => false)
          .fill(1, 0, 20)
          .slice(0, 20),
        2,
      ],
      expected: 6,
    },
    { name: 'only the last 21', statuses: [0, 2, 0, 2, ...where(() => false)], expected: 0 },
  ])('the total_state_change of $name is $expected %', ({ statuses, expected }) => {
    expect(totalStateChange(historyOf(statuses))).toBe(expected);
  });

  test('the total_state_change equals the documented formula for any statuses', () => {
    const status = fc.oneof(fc.constantFrom(0, 0, 0, 1, 2, 3), fc.constantFrom(-1, 127));
    fc.assert(
      fc.property(fc.array(status, { minLength: 15, maxLength: 30 }), (statuses) => {
        const change = totalStateChange(historyOf(statuses));
        expect(change).toBe(naive(statuses.slice(-HISTORY_LENGTH)));
        expect(change).toBeGreaterThanOrEqual(0);
        expect(change).toBeLessThanOrEqual(101);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

// Results that were recorded from Sensu Go (events-flapping).
test.each([
  ['202020202020202020202', 98],
  ['020202020202020202022', 93],
  ['202020202020202020222', 87],
  ['202020202022222222222', 44],
  ['202020202222222222222', 34],
  ['202020222222222222222', 25],
  ['020202222222222222220', 26],
  ['020222222222222222000', 18],
  ['20202020202020202020', 0],
  ['', 0],
])('the total_state_change of the v2 API for %s is %i %%', (statuses, expected) => {
  expect(v2StateChange(Array.from(statuses, Number))).toBe(expected);
});

describe('the start and the end of flapping', () => {
  const thresholds = { low: 5, high: 20 };

  test.each<{ name: string; was: boolean; change: number; expected: boolean }>([
    { name: 'is not entered below the high threshold', was: false, change: 19, expected: false },
    { name: 'is entered from the high threshold on', was: false, change: 20, expected: true },
    { name: 'is kept between the two thresholds', was: true, change: 6, expected: true },
    { name: 'is left at the low threshold', was: true, change: 5, expected: false },
  ])('the flapping state of a check $name', ({ was, change, expected }) => {
    expect(isFlapping(was, change, thresholds)).toBe(expected);
  });

  test.each<{ name: string; thresholds: { low: unknown; high: unknown } }>([
    { name: 'neither threshold', thresholds: { low: undefined, high: undefined } },
    { name: 'only the low threshold', thresholds: { low: 5, high: undefined } },
    { name: 'only the high threshold', thresholds: { low: null, high: 20 } },
    { name: 'texts', thresholds: { low: '5', high: '20' } },
    { name: 'a fractional number', thresholds: { low: 5, high: 20.5 } },
  ])('a check never flaps with thresholds that are not two integers: $name', ({ thresholds: given }) => {
    expect([isFlapping(false, 101, given), isFlapping(true, 101, given)]).toEqual([false, false]);
  });
});
