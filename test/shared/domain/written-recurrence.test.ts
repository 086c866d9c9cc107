import { describe, expect, test } from 'vitest';
import {
  readRecurrence,
  writtenRecurrence,
  type WrittenRecurrence,
} from '../../../shared/domain/written-recurrence.ts';
import { recurrenceSchema } from '../../../shared/schemas/recurrence.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const GOOD: WrittenRecurrence = {
  schedule: 'sat,sun 02:00',
  zone: 'Europe/Berlin',
  duration: '2h',
  firstDay: '2026-02-01',
  lastDay: '2026-03-01',
};

describe('a recurrence in the form in which an operator types it', () => {
  test.each<{ typed: Partial<WrittenRecurrence>; expected: object }>([
    { typed: {}, expected: { zone: 'Europe/Berlin', duration: 7200, first_day: '2026-02-01', last_day: '2026-03-01' } },
    { typed: { zone: ' ' }, expected: { zone: 'UTC' } },
    { typed: { schedule: ' @monthly ', firstDay: '' }, expected: { schedule: '@monthly' } },
    { typed: { duration: '90m' }, expected: { duration: 5400 } },
  ])('the typed recurrence $typed is parsed', ({ typed, expected }) => {
    const read = readRecurrence({ ...GOOD, ...typed }, NOW_MS);
    expect(read).toMatchObject({ recurrence: expected });
    expect(recurrenceSchema.safeParse('recurrence' in read ? read.recurrence : undefined).success).toBe(true);
  });

  test.each<{ typed: Partial<WrittenRecurrence>; part: string; expectedProblem: string }>([
    { typed: { schedule: ' ' }, part: 'schedule', expectedProblem: 'no schedule: write days and a time' },
    { typed: { schedule: 'sat 25:00' }, part: 'schedule', expectedProblem: '"25:00" is not a time of day' },
    { typed: { zone: 'Berlin' }, part: 'zone', expectedProblem: '"Berlin" is not a time zone' },
    { typed: { duration: '' }, part: 'duration', expectedProblem: 'how long a window lasts' },
    { typed: { duration: '59s' }, part: 'duration', expectedProblem: 'from 1m to less than a week' },
    { typed: { duration: '1w' }, part: 'duration', expectedProblem: 'from 1m to less than a week' },
    { typed: { duration: '1d' }, part: 'duration', expectedProblem: 'would overlap' },
    { typed: { firstDay: '2026-02-30' }, part: 'first_day', expectedProblem: '"2026-02-30" is not a day' },
    { typed: { lastDay: 'never' }, part: 'last_day', expectedProblem: '"never" is not a day' },
    { typed: { lastDay: '2026-01-31' }, part: 'last_day', expectedProblem: 'before the first day, 2026-02-01' },
    { typed: { firstDay: '', lastDay: '2025-12-31' }, part: 'last_day', expectedProblem: 'no window starts before' },
  ])('the typed recurrence $typed is rejected at $part', ({ typed, part, expectedProblem }) => {
    expect(readRecurrence({ ...GOOD, ...typed }, NOW_MS)).toEqual({
      part,
      problem: expect.stringContaining(expectedProblem),
    });
  });

  test.each([{ duration: 7200 }, { duration: 90_061 }, { duration: 60, zone: 'UTC' }])(
    'a recurrence is printed in a form that parses to the same recurrence: %j',
    (more) => {
      const recurrence = {
        schedule: 'sun 02:00',
        zone: 'Europe/Berlin',
        first_day: '2026-02-01',
        ...more,
      };
      expect(readRecurrence(writtenRecurrence(recurrence), NOW_MS)).toEqual({ recurrence });
    },
  );
});
