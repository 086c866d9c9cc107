import { Cron } from 'croner';
import { describe, expect, test } from 'vitest';
import { fiveFields } from '../../../shared/schemas/cron.ts';
import { recurrenceSchema, type Recurrence } from '../../../shared/schemas/recurrence.ts';
import { parseSchedule } from '../../../shared/schemas/schedule.ts';
import { nextWindow, nextWindows, recurrenceProblem, shownWindows } from '../../../shared/domain/recurrence.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const recurring = (schedule: string, more: Partial<Recurrence> = {}): Recurrence => ({
  schedule,
  zone: 'UTC',
  duration: 3600,
  ...more,
});
const begins = (recurrence: Recurrence, from: string, count: number): string[] =>
  nextWindows(recurrence, at(from), count).map(({ beginMs }) => iso(beginMs));

describe('a schedule of recurring windows (silencing 3)', () => {
  test.each([
    { schedule: 'sat,sun 02:00', expected: ['2026-01-03T02:00', '2026-01-04T02:00', '2026-01-10T02:00'] },
    { schedule: 'fri-mon 6:00,18:00', expected: ['2026-01-02T06:00', '2026-01-02T18:00', '2026-01-03T06:00'] },
    { schedule: 'Weekdays 22:00', expected: ['2026-01-01T22:00', '2026-01-02T22:00', '2026-01-05T22:00'] },
    { schedule: 'weekends 00:00', expected: ['2026-01-03T00:00', '2026-01-04T00:00', '2026-01-10T00:00'] },
    { schedule: 'daily 03:30', expected: ['2026-01-01T03:30', '2026-01-02T03:30', '2026-01-03T03:30'] },
    { schedule: '0 22 1,15 * *', expected: ['2026-01-01T22:00', '2026-01-15T22:00', '2026-02-01T22:00'] },
    { schedule: '0 0 29 2 *', expected: ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00'] },
    { schedule: '@monthly', expected: ['2026-02-01T00:00', '2026-03-01T00:00', '2026-04-01T00:00'] },
    { schedule: '0 5 13 * fri', expected: ['2026-01-02T05:00', '2026-01-09T05:00', '2026-01-13T05:00'] },
  ])('the schedule $schedule of a recurring silence yields the expected windows', ({ schedule, expected }) => {
    expect(begins(recurring(schedule), '2026-01-01T01:30', 3)).toEqual(expected);
  });

  test.each([
    { schedule: 'sat', problem: 'is not a time of day' },
    { schedule: 'someday 02:00', problem: '"someday" is not a day of the week' },
    { schedule: 'sat 25:00', problem: '"25:00" is not a time of day' },
    { schedule: '61 * * * *', problem: '"61" is not a minute: write *, 0 to 59' },
    { schedule: '0 0 30 2 *', problem: 'never occurs' },
  ])('the schedule $schedule of a recurring silence is rejected', ({ schedule, problem }) => {
    expect(parseSchedule(schedule)).toMatchObject({ problem: expect.stringContaining(problem) });
  });
});

describe('an invalid recurrence', () => {
  const good = { schedule: 'daily 03:30', zone: 'Europe/Berlin', duration: 3600 };
  test.each([
    { what: 'an unknown time zone', wrong: { zone: 'Europe/Atlantis' } },
    { what: 'a duration of less than a minute', wrong: { duration: 59 } },
    { what: 'a duration of a week', wrong: { duration: 604_800 } },
    { what: 'a day that does not exist', wrong: { first_day: '2026-02-30' } },
    { what: 'a last day before the first', wrong: { first_day: '2026-03-02', last_day: '2026-03-01' } },
    { what: 'a misspelled attribute', wrong: { lastday: '2026-03-01' } },
  ])('a recurrence with $what is rejected', ({ wrong }) => {
    expect(recurrenceSchema.safeParse(good).success).toBe(true);
    expect(recurrenceSchema.safeParse({ ...good, ...wrong }).success).toBe(false);
  });

  test.each([
    { recurrence: recurring('@hourly'), problem: 'windows of 1h would overlap: the schedule has one every 1h' },
    { recurrence: recurring('mon,tue 02:00', { duration: 90_000 }), problem: 'would overlap' },
    { recurrence: recurring('daily 22:00,06:00', { duration: 28_800 }), problem: 'would overlap' },
    { recurrence: recurring('daily 02:00', { last_day: '2025-12-31' }), problem: 'no window starts before' },
    { recurrence: recurring('mon 02:00', { duration: 604_799 }), problem: 'nothing' },
    { recurrence: recurring('daily 02:00', { last_day: '2026-01-01' }), problem: 'nothing' },
  ])('the recurrence $recurrence.schedule has the problem: $problem', ({ recurrence, problem }) => {
    expect(recurrenceProblem(recurrence, at('2026-01-01T00:00')) ?? 'nothing').toContain(problem);
  });
});

describe('the window of a recurring silence', () => {
  const nightly = recurring('daily 23:00', { duration: 7200, first_day: '2026-01-02', last_day: '2026-01-03' });
  test.each([
    { from: '2026-01-01T00:00', expected: '2026-01-02T23:00' },
    { from: '2026-01-02T23:00', expected: '2026-01-02T23:00' },
    { from: '2026-01-03T00:59', expected: '2026-01-02T23:00' },
    { from: '2026-01-03T01:00', expected: '2026-01-03T23:00' },
    { from: '2026-01-04T00:59', expected: '2026-01-03T23:00' },
    { from: '2026-01-04T01:00', expected: undefined },
  ])(
    'the current or next window at $from begins at $expected, even on the last day of the recurrence',
    ({ from, expected }) => {
      const window = nextWindow(nightly, at(`${from}Z`));
      expect(window === undefined ? undefined : iso(window.beginMs)).toBe(expected);
    },
  );
});

describe('windows of a recurring silence around clock changes', () => {
  const berlin = { zone: 'Europe/Berlin', duration: 3600 };
  test.each([
    {
      rule: 'a start that the clock skips is moved to the end of the gap',
      recurrence: recurring('daily 02:30', berlin),
      from: '2026-03-28T12:00Z',
      expected: {
        begin: at('2026-03-29T01:00Z') / 1000,
        end: at('2026-03-29T02:00Z') / 1000,
        clock_change: 'start_skipped',
      },
    },
    {
      rule: 'a start that occurs twice begins at its first occurrence',
      recurrence: recurring('daily 02:30', berlin),
      from: '2026-10-24T12:00Z',
      expected: {
        begin: at('2026-10-25T00:30Z') / 1000,
        end: at('2026-10-25T01:30Z') / 1000,
        clock_change: 'start_twice',
      },
    },
    {
      rule: 'the duration of a window is not affected by a clock change',
      recurrence: recurring('sat 22:00', { ...berlin, duration: 28_800 }),
      from: '2026-03-28T12:00Z',
      expected: { begin: at('2026-03-28T21:00Z') / 1000, end: at('2026-03-29T05:00Z') / 1000, clock_change: 'during' },
    },
    {
      rule: 'a window ends at the start of the next window',
      recurrence: recurring('daily 23:00,02:00,03:00', { ...berlin, duration: 3599 }),
      from: '2026-03-29T00:59:00Z',
      expected: {
        begin: at('2026-03-29T01:00Z') / 1000,
        end: at('2026-03-29T01:59:59Z') / 1000,
        clock_change: 'start_skipped',
      },
    },
    {
      rule: 'a clock change of half an hour counts as well',
      recurrence: recurring('daily 02:15', { zone: 'Australia/Lord_Howe', duration: 3600 }),
      from: '2026-10-03T12:00Z',
      expected: {
        begin: at('2026-10-03T15:30Z') / 1000,
        end: at('2026-10-03T16:30Z') / 1000,
        clock_change: 'start_skipped',
      },
    },
  ])('windows of a recurring silence around clock changes follow the rule: $rule', ({ recurrence, from, expected }) => {
    expect(shownWindows(recurrence, at(from))[0]).toEqual(expected);
  });

  describe.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])(
    'every window of 2027 and 2028 in %s',
    (zone) => {
      // Croner, an independent implementation, computes the expected times. The code uses it only for the schedules of
      // checks.
      test.each([
        { schedule: 'daily 02:30', cron: '30 2 * * *' },
        { schedule: 'daily 02:00', cron: '0 2 * * *' },
        { schedule: 'daily 01:15', cron: '15 1 * * *' },
        { schedule: 'sat,sun 02:15', cron: '15 2 * * 6,0' },
        { schedule: '0 1 29 2 *', cron: '0 1 29 2 *' },
        { schedule: '45 1 */2 * *', cron: '45 1 */2 * *' },
        { schedule: '0 2 1-7 3,11 sun', cron: '0 2 1-7 3,11 sun' },
      ])(
        'the windows of the schedule $schedule equal the windows that the library croner computes',
        ({ schedule, cron }) => {
          const from = at('2027-01-01T00:00Z');
          const until = at('2029-01-01T00:00Z');
          const other = new Cron(fiveFields(cron), { paused: true, mode: '5-part', timezone: zone });
          const expected: string[] = [];
          for (let next = other.nextRun(new Date(from - 1000)); next !== null && next.getTime() < until;) {
            expected.push(iso(next.getTime()));
            next = other.nextRun(next);
          }
          const found = nextWindows(recurring(schedule, { zone, duration: 600 }), from, expected.length + 1)
            .map(({ beginMs }) => iso(beginMs))
            .filter((text) => at(`${text}Z`) < until && at(`${text}Z`) >= from);
          expect(found.length).toBeGreaterThan(0);
          expect(found).toEqual(expected);
        },
      );
    },
  );
});
