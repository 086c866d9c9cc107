import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInWindow, parseTimeWindows, wrapsMidnight } from '../../../shared/domain/time-window.ts';
import { timeWindowsSchema } from '../../../shared/schemas/time-window.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const BERLIN = 'Europe/Berlin';
const SECOND = 1000;

type Days = Record<string, { begin: string; end: string }[]>;

/**
 * Returns whether a time is within the windows of these days.
 *
 * @param at a time in UTC as text, or in epoch milliseconds
 */
function isIn(days: Days, at: string | number, zone = 'UTC'): boolean {
  return isInWindow(parseTimeWindows(timeWindowsSchema.parse({ days })), new Date(at).getTime(), zone);
}

describe('the boundaries of a time window', () => {
  // 20 November 2026 is a Friday.
  test.each<{ name: string; begin: string; end: string; day?: string; inside: string[]; outside: string[] }>([
    {
      name: 'both ends belong to a window',
      begin: '9:00 AM',
      end: '5:00 PM',
      inside: ['2026-11-20T09:00:00.000Z', '2026-11-20T17:00:00.000Z', '2026-11-20T17:00:00.999Z'],
      outside: ['2026-11-20T08:59:59.999Z', '2026-11-20T17:00:01.000Z'],
    },
    {
      name: '12 AM is midnight',
      begin: '12:00 AM',
      end: '12:30 am',
      inside: ['2026-11-20T00:00:00Z', '2026-11-20T00:30:00Z'],
      outside: ['2026-11-19T23:59:59Z', '2026-11-20T00:30:01Z', '2026-11-20T12:15:00Z'],
    },
    {
      name: '12 PM is noon',
      begin: '12 PM',
      end: '1PM',
      inside: ['2026-11-20T12:00:00Z', '2026-11-20T13:00:00Z'],
      outside: ['2026-11-20T11:59:59Z', '2026-11-20T00:30:00Z'],
    },
    {
      name: 'times may have 24 hours and seconds',
      begin: '22:30:15',
      end: '23:59:59',
      inside: ['2026-11-20T22:30:15Z', '2026-11-20T23:59:59.999Z'],
      outside: ['2026-11-20T22:30:14.999Z', '2026-11-21T00:00:00Z'],
    },
    {
      name: 'a window with equal begin and end lasts one second',
      begin: '17:00',
      end: '5:00 PM',
      inside: ['2026-11-20T17:00:00Z', '2026-11-20T17:00:00.999Z'],
      outside: ['2026-11-20T16:59:59.999Z', '2026-11-20T17:00:01Z', '2026-11-21T03:00:00Z'],
    },
    {
      name: 'a window may cover the whole day',
      begin: '00:00',
      end: '24:00',
      inside: ['2026-11-20T00:00:00Z', '2026-11-20T23:59:59.999Z'],
      outside: [],
    },
    {
      name: 'a window may cover every night',
      begin: '10:00 PM',
      end: '6:00 AM',
      inside: ['2026-11-20T22:00:00Z', '2026-11-20T23:59:59Z', '2026-11-21T00:00:00Z', '2026-11-21T06:00:00Z'],
      outside: ['2026-11-20T21:59:59Z', '2026-11-20T06:00:01Z'],
    },
    {
      name: 'a window may apply to one day of the week',
      day: 'friday',
      begin: '9:00',
      end: '17:00',
      inside: ['2026-11-20T09:00:00Z', '2026-11-27T17:00:00Z'],
      outside: ['2026-11-19T12:00:00Z', '2026-11-21T12:00:00Z'],
    },
    {
      name: 'a night window of a day is the night that begins on that day',
      day: 'friday',
      begin: '5:00 PM',
      end: '8:00 AM',
      inside: ['2026-11-20T17:00:00Z', '2026-11-20T23:59:59Z', '2026-11-21T00:00:00Z', '2026-11-21T08:00:00Z'],
      outside: [
        '2026-11-20T00:00:00Z',
        '2026-11-20T07:59:59Z',
        '2026-11-20T16:59:59Z',
        '2026-11-21T08:00:01Z',
        '2026-11-21T17:00:00Z',
      ],
    },
    {
      name: 'a night window may cross the end of the week',
      day: 'saturday',
      begin: '23:00',
      end: '1:00',
      inside: ['2026-11-21T23:00:00Z', '2026-11-22T01:00:00Z'],
      outside: ['2026-11-21T00:30:00Z', '2026-11-22T01:00:01Z', '2026-11-22T23:30:00Z'],
    },
  ])('the boundaries of a time window follow the rule: $name', ({ begin, end, day = 'all', inside, outside }) => {
    for (const at of inside) expect([at, isIn({ [day]: [{ begin, end }] }, at)]).toEqual([at, true]);
    for (const at of outside) expect([at, isIn({ [day]: [{ begin, end }] }, at)]).toEqual([at, false]);
  });

  test('one matching window is enough, whether for every day or for the day of the week', () => {
    const days: Days = {
      all: [{ begin: '1:00', end: '2:00' }],
      friday: [
        { begin: '5:00', end: '6:00' },
        { begin: '7:00', end: '8:00' },
      ],
    };
    expect(isIn(days, '2026-11-19T01:30:00Z')).toBe(true);
    expect(isIn(days, '2026-11-20T07:30:00Z')).toBe(true);
    expect(isIn(days, '2026-11-19T07:30:00Z')).toBe(false);
    expect(isIn(days, '2026-11-20T03:00:00Z')).toBe(false);
  });
});

describe('time zones of time windows', () => {
  test.each<{ begin: string; end: string; inside: string; outside: string }>([
    { begin: '9:00', end: '10:00', inside: '2026-11-20T08:30:00Z', outside: '2026-11-20T09:30:00Z' },
    { begin: '9:00 UTC', end: '10:00 UTC', inside: '2026-11-20T09:30:00Z', outside: '2026-11-20T08:30:00Z' },
    { begin: '9:00 AM gmt', end: '10:00 AM GMT', inside: '2026-11-20T09:30:00Z', outside: '2026-11-20T08:30:00Z' },
    { begin: '9:00Z', end: '10:00Z', inside: '2026-11-20T09:30:00Z', outside: '2026-11-20T08:30:00Z' },
    { begin: '9:00 +02:00', end: '10:00 +02:00', inside: '2026-11-20T07:30:00Z', outside: '2026-11-20T08:30:00Z' },
    { begin: '9:00 AM -0530', end: '10:00 AM -0530', inside: '2026-11-20T15:00:00Z', outside: '2026-11-20T09:00:00Z' },
    { begin: '9:00 AM PST', end: '10:00 AM PST', inside: '2026-11-20T17:30:00Z', outside: '2026-11-20T16:30:00Z' },
    {
      begin: '9:00 Asia/Tokyo',
      end: '10:00 asia/tokyo',
      inside: '2026-11-20T00:30:00Z',
      outside: '2026-11-20T09:30:00Z',
    },
  ])('a time window from $begin is evaluated in Europe/Berlin', ({ begin, end, inside, outside }) => {
    expect(isIn({ all: [{ begin, end }] }, inside, BERLIN)).toBe(true);
    expect(isIn({ all: [{ begin, end }] }, outside, BERLIN)).toBe(false);
  });

  test('the day of a time window is the day in the time zone of the window', () => {
    const night: Days = { friday: [{ begin: '0:00 Asia/Tokyo', end: '1:00 Asia/Tokyo' }] };
    expect(isIn(night, '2026-11-19T15:30:00Z')).toBe(true);
    expect(isIn(night, '2026-11-20T15:30:00Z')).toBe(false);
  });
});

describe('time windows around clock changes', () => {
  test('a clock that is set forward skips a part of a time window, and the remaining part applies', () => {
    const day: Days = { sunday: [{ begin: '2:15', end: '2:45' }] };
    const longer: Days = { sunday: [{ begin: '2:30', end: '4:00' }] };
    // In Berlin, the clock jumps from 2:00 to 3:00 on 29 March 2026.
    const jump = Date.parse('2026-03-29T01:00:00Z');
    for (let minute = -120; minute < 120; minute++) {
      expect(isIn(day, jump + minute * 60_000, BERLIN)).toBe(false);
      expect(isIn(longer, jump + minute * 60_000, BERLIN)).toBe(minute >= 0 && minute <= 60);
    }
    expect(isIn(longer, jump - SECOND, BERLIN)).toBe(false);
  });

  test('a clock that is set back repeats times, and a time window contains both repetitions', () => {
    const day: Days = { sunday: [{ begin: '2:15', end: '2:45' }] };
    // In Berlin, the clock goes back from 3:00 to 2:00 on 25 October 2026.
    const inside = ['2026-10-25T00:15:00Z', '2026-10-25T00:45:00Z', '2026-10-25T01:15:00Z', '2026-10-25T01:45:00Z'];
    const outside = ['2026-10-25T00:14:59Z', '2026-10-25T00:45:01Z', '2026-10-25T01:14:59Z', '2026-10-25T01:45:01Z'];
    for (const at of inside) expect([at, isIn(day, at, BERLIN)]).toEqual([at, true]);
    for (const at of outside) expect([at, isIn(day, at, BERLIN)]).toEqual([at, false]);
  });

  test('a time window over night lasts from its begin to its end when the clock changes', () => {
    const night: Days = { saturday: [{ begin: '22:00', end: '6:00' }] };
    const [spring, autumn] = ['2026-03-28T21:00:00Z', '2026-10-24T20:00:00Z'].map((at) => Date.parse(at));
    const minutesInside = (start = 0): number =>
      Array.from({ length: 1440 }, (_, minute) => isIn(night, start + minute * 60_000, BERLIN)).filter(Boolean).length;
    // The count includes the minute at the end of the window, because its first second is still in the window.
    expect(minutesInside(spring)).toBe(7 * 60 + 1);
    expect(minutesInside(autumn)).toBe(9 * 60 + 1);
  });
});

test('a time window that ends on the next day is reported as such', () => {
  const [night, day, moment] = parseTimeWindows(
    timeWindowsSchema.parse({
      days: {
        friday: [
          { begin: '5:00 PM', end: '8:00 AM' },
          { begin: '8:00 AM', end: '5:00 PM' },
          { begin: '5:00 PM', end: '17:00' },
        ],
      },
    }),
  );
  expect([night, day, moment].map((window) => window !== undefined && wrapsMidnight(window))).toEqual([
    true,
    false,
    false,
  ]);
});

describe('an invalid time window', () => {
  const TIME = 'must be a time of day such as "5:00 PM" or "17:00"';
  const ZONE = 'write UTC, an offset such as +02:00, or a name such as Europe/Berlin';
  test.each<{ begin: string; end?: string; path: string; message: string }>([
    ...[
      '',
      'noon',
      '17',
      '25:00',
      '24:00:01',
      '12:60',
      '12:00:60',
      '0:30 AM',
      '13:00 PM',
      '1:2',
      '-1:00',
      '5:00 P',
    ].map((begin) => ({ begin, end: '1:00', path: 'begin', message: expectedProblem(begin) })),
    { begin: '24:00', end: '1:00', path: 'begin', message: TIME },
    { begin: '9:00 BST', end: '1:00', path: 'begin', message: `"BST" is not a time zone: ${ZONE}` },
    { begin: '9:00 Mars/Base', end: '1:00', path: 'begin', message: `"Mars/Base" is not a time zone: ${ZONE}` },
    { begin: '9:00 +25:00', end: '1:00', path: 'begin', message: `"+25:00" is not a time zone: ${ZONE}` },
    {
      begin: '9:00 UTC',
      end: '10:00',
      path: 'end',
      message: 'must have the same time zone as begin: add the zone to both, or to none',
    },
  ])('the time window from $begin to $end is rejected with its path and a remedy', ({ begin, end, path, message }) => {
    const { error } = timeWindowsSchema.safeParse({ days: { all: [{ begin, end }] } });
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([
      [`days.all.0.${path}`, message],
    ]);
  });

  function expectedProblem(begin: string): string {
    return begin === '5:00 P' ? `"P" is not a time zone: ${ZONE}` : TIME;
  }

  test.each(['Friday', 'fri', 'mondays', 'toString'])('the day name %s in time windows is rejected', (day) => {
    expect(timeWindowsSchema.safeParse({ days: { [day]: [{ begin: '1:00', end: '2:00' }] } }).success).toBe(false);
  });

  test('any text is parsed as a valid time of day or rejected', () => {
    const soup = fc.string({ unit: fc.constantFrom(...Array.from('0123456789::: APMapmUTCZ+-/E')), maxLength: 20 });
    fc.assert(
      fc.property(soup, soup, (begin, end) => {
        const { data } = timeWindowsSchema.safeParse({ days: { all: [{ begin, end }] } });
        expect(data === undefined || typeof isInWindow(parseTimeWindows(data), 0, 'UTC') === 'boolean').toBe(true);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});

test('a time window and its inverse cover the whole day and share only their ends', () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  fc.assert(
    fc.property(clock, clock, fc.integer({ min: 0, max: 86_399 }), (begin, end, second) => {
      fc.pre(begin !== end);
      const at = Date.parse('2026-11-20T00:00:00Z') + second * SECOND;
      const wall = new Date(at).toISOString().slice(11, 19);
      const inside = isIn({ all: [{ begin, end }] }, at);
      const outside = isIn({ all: [{ begin: end, end: begin }] }, at);
      expect(inside && outside).toBe(wall === begin || wall === end);
      expect(inside || outside).toBe(true);
    }),
  );
});
