import { describe, expect, test } from 'vitest';
import { isCountDue } from '../../../../shared/domain/timeline/due-count.ts';

/** The id of the first timeline entry. Ids are times in microseconds. */
const START_ID = 1_700_000_000_000_000;

describe('the recount of timeline entries of a check', () => {
  test.each([
    ['every microsecond', 1],
    ['every millisecond', 1000],
    ['every ten seconds', 10_000_000],
    ['every minute', 60_000_000],
    ['every hour', 3_600_000_000],
    ['at each power of two', 2 ** 32],
  ])(
    'the timeline entries of a check are recounted after about a tenth of their number is added: %s',
    (_title, step) => {
      const due = Array.from({ length: 50_000 }, (_, at) => isCountDue(START_ID + at * step, 1000));
      const share = due.filter(Boolean).length / due.length;
      expect(share).toBeGreaterThan(1 / 130);
      expect(share).toBeLessThan(1 / 70);
      // Fewer than 1500 entries are between two counts.
      const gaps = due.flatMap((is, at) => (is ? [at] : [])).map((at, index, all) => at - (all[index - 1] ?? 0));
      expect(Math.max(...gaps)).toBeLessThan(1500);
    },
  );

  test('the timeline entries of a check with a very small limit are recounted at every entry', () => {
    for (let id = START_ID; id < START_ID + 100; id++) expect(isCountDue(id, 5)).toBe(true);
  });
});
