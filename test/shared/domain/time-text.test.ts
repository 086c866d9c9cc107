import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  timeOfDayText,
  dateTimeText,
  nextTimeOfDay,
  readPastTime,
  readStartTime,
  readTime,
} from '../../../shared/domain/time-text.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const NEW_YORK = { nowMs: NOW_MS, zone: 'America/New_York' };
const BERLIN = { nowMs: NOW_MS, zone: 'Europe/Berlin' };
const UTC = { nowMs: NOW_MS, zone: 'UTC' };

describe('days of the week', () => {
  test.each([
    ['fri 18:00', 'future', Date.UTC(2026, 10, 20, 18)],
    ['fri 12:00', 'future', Date.UTC(2026, 10, 20, 12)],
    ['Friday 11:00', 'future', Date.UTC(2026, 10, 27, 11)],
    ['mon 09:00', 'future', Date.UTC(2026, 10, 23, 9)],
    ['thu', 'future', Date.UTC(2026, 10, 26)],
    ['fri 18:00', 'past', Date.UTC(2026, 10, 13, 18)],
    ['thu 09:00', 'past', Date.UTC(2026, 10, 19, 9)],
    ['mon 09:00 Europe/Berlin', 'future', Date.UTC(2026, 10, 23, 8)],
  ] as const)('the time %s in the %s is read from a Friday at noon', (text, direction, atMs) => {
    expect(readTime(text, UTC, direction)).toEqual({ atMs });
  });

  test('a day of the week is rejected if it can be in the past or the future', () => {
    expect(readTime('fri 18:00', UTC, 'any')).toEqual({ problem: expect.stringContaining('is not a time') });
  });
});

describe('times that every place reads alike', () => {
  test.each([
    ['now', NOW_MS],
    ['1893463200', 1_893_463_200_000],
    ['2026-11-20T22:00', Date.UTC(2026, 10, 21, 3)],
    ['2026-11-20 22:00', Date.UTC(2026, 10, 21, 3)],
    ['2026-11-20 22:00:30', Date.UTC(2026, 10, 21, 3, 0, 30)],
    ['2026-11-20', Date.UTC(2026, 10, 20, 5)],
    ['2026-11-20T22:00Z', Date.UTC(2026, 10, 20, 22)],
    ['2026-11-20 22:00 UTC', Date.UTC(2026, 10, 20, 22)],
    ['2026-11-20T22:00+01:00', Date.UTC(2026, 10, 20, 21)],
    ['2026-11-20 22:00 EST', Date.UTC(2026, 10, 21, 3)],
    ['2026-11-20 22:00 Europe/Berlin', Date.UTC(2026, 10, 20, 21)],
    ['tomorrow 02:00', Date.UTC(2026, 10, 21, 7)],
    ['Tomorrow  2:00', Date.UTC(2026, 10, 21, 7)],
    ['yesterday 03:12', Date.UTC(2026, 10, 19, 8, 12)],
    ['today 07:30', Date.UTC(2026, 10, 20, 12, 30)],
    ['yesterday', Date.UTC(2026, 10, 19, 5)],
    ['tomorrow 02:00Z', Date.UTC(2026, 10, 21, 2)],
    ['10 minutes ago', NOW_MS - 600_000],
    ['1h30m ago', NOW_MS - 5_400_000],
    ['in 2h', NOW_MS + 2 * HOUR_MS],
    ['in 90 minutes', NOW_MS + 5_400_000],
    ['+2h', NOW_MS + 2 * HOUR_MS],
  ])('the time %s is read in New York in every direction', (text, atMs) => {
    for (const direction of ['past', 'future', 'any'] as const) {
      expect(readTime(text, NEW_YORK, direction)).toEqual({ atMs });
    }
  });

  test.each([
    '',
    'May',
    '1 Jan',
    'soon',
    '+',
    'in',
    'ago',
    '24:00',
    '12:60',
    '12:00:60',
    '1:2',
    'in 2h ago',
    '2026-13-01',
    '2026-02-30 10:00',
    '2026-11-20T25:00',
  ])('the text %j is not a time', (text) => {
    expect(readTime(text, UTC, 'past')).toEqual({
      problem: `${JSON.stringify(text)} is not a time: write 22:00, yesterday 03:12, 2026-11-28 02:00 or 10 minutes ago`,
    });
  });

  test('an ambiguous name of a zone is rejected with the names that are valid', () => {
    expect(readTime('22:00 CEST', UTC, 'past').problem).toMatch(/^"CEST" is not a time zone: use UTC, an offset/);
  });

  test.each(['30', '+30', 'in 30', '30 ago'])('the number in %j has no unit, so a question is the answer', (text) => {
    expect(readTime(text, UTC, 'past').problem).toBe(
      '30 of what? write 30m for minutes, 30h for hours or 30s for seconds',
    );
  });

  test('a time that no date can show is rejected', () => {
    expect(readTime('999999999999', UTC, 'any').problem).toMatch(/too far from now/);
    expect(readTime('9999999w ago', UTC, 'any').problem).toMatch(/too far from now/);
    expect(readTime('1'.repeat(100), UTC, 'any').problem).toBe('this time is too long');
  });
});

describe('times whose meaning depends on the place', () => {
  test.each([
    ['22:00', Date.UTC(2026, 10, 20, 3), Date.UTC(2026, 10, 21, 3)],
    ['6:59', Date.UTC(2026, 10, 20, 11, 59), Date.UTC(2026, 10, 21, 11, 59)],
    ['06:59:30', Date.UTC(2026, 10, 20, 11, 59, 30), Date.UTC(2026, 10, 20, 11, 59, 30)],
    ['07:00', NOW_MS, NOW_MS],
    ['12:00Z', NOW_MS, NOW_MS],
    ['11:00 UTC', NOW_MS - HOUR_MS, NOW_MS + 23 * HOUR_MS],
    ['2h', NOW_MS - 2 * HOUR_MS, NOW_MS + 2 * HOUR_MS],
    ['90 minutes', NOW_MS - 5_400_000, NOW_MS + 5_400_000],
  ])('%s is the latest such time in the past, and the next one in the future', (text, past, future) => {
    expect([readTime(text, NEW_YORK, 'past').atMs, readTime(text, NEW_YORK, 'future').atMs]).toEqual([past, future]);
  });

  test('a time of day without a direction is today, and a plain duration is answered with a question', () => {
    expect(readTime('22:00', NEW_YORK, 'any')).toEqual({ atMs: Date.UTC(2026, 10, 21, 3) });
    expect(readTime('2h', NEW_YORK, 'any')).toEqual({
      problem: '"2h" before or after now? write 2h ago or in 2h',
    });
  });

  test('a time in the past may not be in the future, and a start may be up to a minute ago', () => {
    expect(readPastTime('tomorrow 02:00', UTC).problem).toMatch(/^"tomorrow 02:00" is in the future: write/);
    expect(readPastTime('now', UTC)).toEqual({ atMs: NOW_MS });
    expect(readStartTime('2026-11-20T11:58Z', UTC)).toEqual({
      problem: '"2026-11-20T11:58Z" is 2m in the past: write a later time, or now',
    });
    expect(readStartTime('11:59:30', UTC)).toEqual({ atMs: NOW_MS - 30_000 });
    expect(readStartTime('11:58', UTC)).toEqual({ atMs: NOW_MS + 24 * HOUR_MS - 120_000 });
  });
});

describe('times around clock changes', () => {
  // In New York, 02:00 EST becomes 03:00 EDT at 07:00Z on 8 March.
  // On 1 November, 02:00 EDT becomes 01:00 EST at 06:00Z.
  const FORWARD_MS = Date.UTC(2026, 2, 8, 7);

  test('a time that the clocks skip is the time of the change', () => {
    const clock = { nowMs: FORWARD_MS - 12 * HOUR_MS, zone: NEW_YORK.zone };
    expect(readTime('2026-03-08 02:30', clock, 'any')).toEqual({ atMs: FORWARD_MS });
    expect(readTime('tomorrow 02:30', clock, 'future')).toEqual({ atMs: FORWARD_MS });
    expect(readTime('02:30', clock, 'future')).toEqual({ atMs: FORWARD_MS });
  });

  test('a time that the clocks show twice is the first one on a named day, and a zone selects the other', () => {
    const clock = { nowMs: Date.UTC(2026, 10, 2), zone: NEW_YORK.zone };
    const first = Date.UTC(2026, 10, 1, 5, 30);
    expect(readTime('2026-11-01 01:30', clock, 'past')).toEqual({ atMs: first });
    expect(readTime('2026-11-01 01:30 EDT', clock, 'past')).toEqual({ atMs: first });
    expect(readTime('2026-11-01 01:30 EST', clock, 'past')).toEqual({ atMs: first + HOUR_MS });
  });

  test('a time of day that the clocks show twice is the nearest one in the direction of the place', () => {
    const first = Date.UTC(2026, 10, 1, 5, 30);
    const between = { nowMs: first + HOUR_MS / 4, zone: NEW_YORK.zone };
    expect(readTime('01:30', between, 'past')).toEqual({ atMs: first });
    expect(readTime('01:30', between, 'future')).toEqual({ atMs: first + HOUR_MS });
    expect(readTime('01:30', { ...between, nowMs: first + 6 * HOUR_MS }, 'past')).toEqual({ atMs: first + HOUR_MS });
  });

  test('yesterday is a calendar day, also if it has 25 hours', () => {
    const clock = { nowMs: Date.UTC(2026, 10, 2, 5, 30), zone: NEW_YORK.zone };
    expect(readTime('yesterday 00:30', clock, 'past')).toEqual({ atMs: Date.UTC(2026, 10, 1, 4, 30) });
  });

  test('the next time of day is later than the given time', () => {
    const six = 6 * HOUR_MS;
    expect(nextTimeOfDay(six, Date.UTC(2026, 10, 20, 5, 59), 'UTC')).toBe(Date.UTC(2026, 10, 20, 6));
    expect(nextTimeOfDay(six, Date.UTC(2026, 10, 20, 6), 'UTC')).toBe(Date.UTC(2026, 10, 21, 6));
    expect(nextTimeOfDay(six, Date.UTC(2026, 10, 20, 6), 'Europe/Berlin')).toBe(Date.UTC(2026, 10, 21, 5));
  });
});

describe('shown times', () => {
  test.each([
    ['UTC', '2026-11-20 12:00:07Z'],
    ['Etc/UTC', '2026-11-20 12:00:07Z'],
    ['America/New_York', '2026-11-20 07:00:07 EST'],
    ['Europe/Berlin', '2026-11-20 13:00:07+01:00'],
    ['Asia/Kolkata', '2026-11-20 17:30:07+05:30'],
    ['-03:00', '2026-11-20 09:00:07-03:00'],
  ])('a time in the zone %s names its zone', (zone, text) => {
    expect(dateTimeText(NOW_MS + 7000, zone)).toBe(text);
  });

  test('a time of day is shown with or without seconds', () => {
    expect([timeOfDayText(NOW_MS, BERLIN.zone), timeOfDayText(NOW_MS, NEW_YORK.zone, 'minutes')]).toEqual([
      '13:00:00+01:00',
      '07:00 EST',
    ]);
  });

  test('a time that no date can show is shown as epoch seconds', () => {
    expect([dateTimeText(1e300, 'UTC'), dateTimeText(Number.NaN, 'UTC')]).toEqual(['1e+297', 'NaN']);
  });

  test('every shown time is read back as the same time', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata');
    fc.assert(
      fc.property(fc.integer({ min: 946_857_600, max: 4_102_444_800 }), zones, zones, (seconds, zone, otherZone) => {
        const text = dateTimeText(seconds * 1000, zone);
        expect(readTime(text, { nowMs: NOW_MS, zone: otherZone }, 'any')).toEqual({ atMs: seconds * 1000 });
      }),
    );
  });
});
