import { describe, expect, test } from 'vitest';
import { isInSubdues } from '../../../shared/domain/subdues.ts';
import { subduesSchema } from '../../../shared/schemas/subdues.ts';

interface Case {
  readonly title: string;
  readonly begin: string;
  readonly end: string;
  readonly repeat?: string[];
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: 'a window without repeat occurs once, including its end',
    begin: '2026-03-01T10:00:00Z',
    end: '2026-03-01T11:00:00Z',
    inside: ['2026-03-01T10:00:00Z', '2026-03-01T10:59:59.999Z', '2026-03-01T11:00:00.999Z'],
    outside: ['2026-03-01T09:59:59.999Z', '2026-03-01T11:00:01Z', '2026-03-02T10:30:00Z'],
  },
  {
    title: 'a daily window occurs each day from its first begin on',
    begin: '2026-03-01T10:00:00Z',
    end: '2026-03-01T11:00:00Z',
    repeat: ['daily'],
    inside: ['2026-03-01T10:30:00Z', '2027-12-31T10:30:00Z'],
    outside: ['2026-02-28T10:30:00Z', '2026-03-02T09:59:59Z', '2026-03-02T11:00:01Z'],
  },
  {
    title: 'a daily window past midnight continues in the morning',
    begin: '2026-03-01T22:00:00Z',
    end: '2026-03-02T06:00:00Z',
    repeat: ['daily'],
    inside: ['2026-03-05T23:00:00Z', '2026-03-06T05:59:59Z', '2026-03-06T06:00:00Z'],
    outside: ['2026-03-01T05:00:00Z', '2026-03-06T06:00:01Z', '2026-03-06T21:59:59Z'],
  },
  {
    title: 'a window on Saturdays continues in the night to Sunday',
    begin: '2026-03-07T22:00:00Z',
    end: '2026-03-08T02:00:00Z',
    repeat: ['saturdays'],
    inside: ['2026-03-14T22:00:00Z', '2026-03-15T01:00:00Z'],
    outside: ['2026-03-15T03:00:00Z', '2026-03-13T23:00:00Z', '2026-03-15T23:00:00Z'],
  },
  {
    title: 'days of the week follow the UTC offset of the begin',
    begin: '2026-03-02T00:30:00+09:00',
    end: '2026-03-02T01:30:00+09:00',
    repeat: ['mondays'],
    // Monday in Tokyo begins on Sunday afternoon in UTC.
    inside: ['2026-03-08T16:00:00Z', '2026-03-09T00:45:00+09:00'],
    outside: ['2026-03-09T16:00:00Z', '2026-03-09T00:45:00Z'],
  },
  {
    title: 'the UTC offset of the begin applies in summer and winter',
    begin: '2026-01-05T08:00:00-05:00',
    end: '2026-01-05T09:00:00-05:00',
    repeat: ['daily'],
    inside: ['2026-07-06T13:30:00Z', '2026-12-06T13:30:00Z'],
    outside: ['2026-07-06T12:30:00Z'],
  },
  {
    title: 'a weekly window occurs on the weekday of the begin',
    begin: '2026-03-04T10:00:00Z',
    end: '2026-03-04T11:00:00Z',
    repeat: ['weekly'],
    inside: ['2026-03-11T10:30:00Z'],
    outside: ['2026-03-10T10:30:00Z', '2026-02-25T10:30:00Z'],
  },
  {
    title: 'a monthly window occurs on the day of the begin, and months without that day are left out',
    begin: '2026-01-31T10:00:00Z',
    end: '2026-01-31T11:00:00Z',
    repeat: ['monthly'],
    inside: ['2026-03-31T10:30:00Z', '2026-05-31T10:30:00Z'],
    outside: ['2026-02-28T10:30:00Z', '2026-03-01T10:30:00Z', '2026-03-30T10:30:00Z', '2026-04-30T10:30:00Z'],
  },
  {
    title: 'an annual window occurs on the day and month of the begin, also on the 29th of February',
    begin: '2024-02-29T10:00:00Z',
    end: '2024-02-29T11:00:00Z',
    repeat: ['annually'],
    inside: ['2028-02-29T10:30:00Z'],
    outside: ['2026-02-28T10:30:00Z', '2026-03-01T10:30:00Z', '2028-03-29T10:30:00Z'],
  },
  {
    title: 'a weekday window occurs from Monday to Friday, including the night to Saturday',
    begin: '2026-03-02T20:00:00Z',
    end: '2026-03-03T04:00:00Z',
    repeat: ['weekdays'],
    inside: ['2026-03-06T21:00:00Z', '2026-03-07T03:00:00Z', '2026-03-09T21:00:00Z'],
    outside: ['2026-03-07T21:00:00Z', '2026-03-08T21:00:00Z', '2026-03-09T03:00:00Z'],
  },
  {
    title: 'a weekend window occurs on Saturday and Sunday',
    begin: '2026-03-07T00:00:00Z',
    end: '2026-03-07T23:59:59Z',
    repeat: ['weekends'],
    inside: ['2026-03-07T00:00:00Z', '2026-03-08T23:59:59.999Z', '2026-03-14T12:00:00Z'],
    outside: ['2026-03-09T00:00:00Z', '2026-03-13T12:00:00Z'],
  },
  {
    title: 'a window with several repeats occurs on the days of each repeat',
    begin: '2026-03-01T10:00:00Z',
    end: '2026-03-01T11:00:00Z',
    repeat: ['tuesdays', 'fridays'],
    inside: ['2026-03-03T10:30:00Z', '2026-03-06T10:30:00Z'],
    outside: ['2026-03-04T10:30:00Z', '2026-03-01T10:30:00Z'],
  },
  {
    title: 'a monthly window of two days covers both days',
    begin: '2026-01-30T00:00:00Z',
    end: '2026-02-01T00:00:00Z',
    repeat: ['monthly'],
    inside: ['2026-03-30T12:00:00Z', '2026-03-31T12:00:00Z', '2026-04-01T00:00:00Z'],
    outside: ['2026-03-29T23:59:59Z', '2026-04-01T00:00:01Z', '2026-02-28T12:00:00Z'],
  },
];

describe.each(CASES)('subdue windows repeat as defined: $title', ({ begin, end, repeat, inside, outside }) => {
  const windows = subduesSchema.parse([{ begin, end, repeat }]);

  test.each(inside)('the time %s is in the subdue window', (time) => {
    expect(isInSubdues(windows, Date.parse(time))).toBe(true);
  });

  test.each(outside)('the time %s is not in the subdue window', (time) => {
    expect(isInSubdues(windows, Date.parse(time))).toBe(false);
  });
});

test.each<[what: string, window: object, problem: RegExp]>([
  ['a begin that is not a time', { begin: 'now', end: '2026-01-01T00:00:00Z' }, /begin/],
  ['a time without an offset', { begin: '2026-01-01T00:00:00', end: '2026-01-02T00:00:00Z' }, /begin/],
  ['a day that does not exist', { begin: '2026-02-30T00:00:00Z', end: '2026-03-02T00:00:00Z' }, /begin/],
  ['an hour that does not exist', { begin: '2026-02-01T24:00:00Z', end: '2026-03-02T00:00:00Z' }, /begin/],
  ['an end before its begin', { begin: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' }, /end/],
  ['a length of years', { begin: '2026-01-02T00:00:00Z', end: '2028-01-01T00:00:00Z' }, /end/],
  ['an unknown repeat', { begin: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z', repeat: ['hourly'] }, /repeat/],
  ['no end', { begin: '2026-01-01T00:00:00Z' }, /end/],
])('a subdue window with %s is rejected', (_what, window, problem) => {
  const { error } = subduesSchema.safeParse([window]);
  expect(error?.issues.map(({ path }) => path.join('.')).join()).toMatch(problem);
});
