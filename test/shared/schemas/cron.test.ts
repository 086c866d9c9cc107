import { describe, expect, test } from 'vitest';
import { cronProblem, dateProblem } from '../../../shared/schemas/cron.ts';

describe('schedules that Sensu Core accepts', () => {
  test.each([
    '* * * * *',
    '*/5 * * * *',
    '0 0-23/2 * * *',
    '0,15,30,45 9-17 * * mon-fri',
    '0 12 1 JAN sun',
    '0 0 29 2 *',
    '0 0 31 1,2 *',
    '0 0 30 2 mon',
    '0 0 * * 7',
    '*/60 */24 */31 */12 */7',
    '  0   0 * * * ',
    '0 0 * * * ignored',
    '@hourly',
    '@Daily',
  ])('the cron schedule %s is accepted', (schedule) => {
    expect(cronProblem(schedule)).toBeUndefined();
    expect(dateProblem(schedule)).toBeUndefined();
  });
});

test.each([
  { schedule: '', problem: 'must have five fields: minute, hour, day of the month, month, day of the week' },
  { schedule: '* * * *', problem: 'must have five fields: minute, hour, day of the month, month, day of the week' },
  {
    schedule: '* * * * * * *',
    problem: 'must have five fields: minute, hour, day of the month, month, day of the week',
  },
  { schedule: '@reboot', problem: 'must be one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly' },
  {
    schedule: '60 * * * *',
    problem: '"60" is not a minute: write *, 0 to 59, a range a-b, or a step */n or a-b/n with n up to 60',
  },
  {
    schedule: '5/10 * * * *',
    problem: '"5/10" is not a minute: write *, 0 to 59, a range a-b, or a step */n or a-b/n with n up to 60',
  },
  {
    schedule: '*/0 * * * *',
    problem: '"*/0" is not a minute: write *, 0 to 59, a range a-b, or a step */n or a-b/n with n up to 60',
  },
  {
    schedule: '*/90 * * * *',
    problem: '"*/90" is not a minute: write *, 0 to 59, a range a-b, or a step */n or a-b/n with n up to 60',
  },
  {
    schedule: '0 0 * * 1-5/8',
    problem:
      '"1-5/8" is not a day of the week: write *, 0 to 7 or sun to sat, a range a-b, or a step */n or a-b/n with n up to 7',
  },
  {
    schedule: '0 5-1 * * *',
    problem: '"5-1" is not an hour: write *, 0 to 23, a range a-b, or a step */n or a-b/n with n up to 24',
  },
  {
    schedule: '0 1,,2 * * *',
    problem: '"" is not an hour: write *, 0 to 23, a range a-b, or a step */n or a-b/n with n up to 24',
  },
  {
    schedule: '0 0 0 * *',
    problem: '"0" is not a day of the month: write *, 1 to 31, a range a-b, or a step */n or a-b/n with n up to 31',
  },
  {
    schedule: '0 0 * foo *',
    problem:
      '"foo" is not a month: write *, 1 to 12 or jan to dec, a range a-b, or a step */n or a-b/n with n up to 12',
  },
  {
    schedule: '0 0 * * 8',
    problem:
      '"8" is not a day of the week: write *, 0 to 7 or sun to sat, a range a-b, or a step */n or a-b/n with n up to 7',
  },
])('the cron schedule $schedule is rejected', ({ schedule, problem }) => {
  expect(cronProblem(schedule)).toBe(problem);
});

test.each([
  { schedule: '0 0 30 2 *', problem: 'never occurs: there is no day 30 in month 2' },
  { schedule: ' 0 0 31 apr,jun *', problem: 'never occurs: there is no day 31 in month apr,jun' },
])('the cron schedule $schedule is valid but reported because it never occurs', ({ schedule, problem }) => {
  expect(cronProblem(schedule)).toBeUndefined();
  expect(dateProblem(schedule)).toBe(problem);
});

test('a long cron schedule is checked in bounded time', () => {
  expect(cronProblem(`${'1-'.repeat(100_000)} * * * *`)).toMatch(/is not a minute/);
});
