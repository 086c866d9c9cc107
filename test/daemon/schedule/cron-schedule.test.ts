import { expect, test } from 'vitest';
import { cronSchedule } from '../../../daemon/schedule/cron-schedule.ts';

/** Returns the next `count` times of a cron schedule after a time. */
function moments(text: string, zone: string, after: string, count: number): string[] {
  const next = cronSchedule(text, zone);
  const found: string[] = [];
  for (let atMs = next(Date.parse(after)); atMs !== undefined && found.length < count; atMs = next(atMs)) {
    found.push(new Date(atMs).toISOString().replace('.000Z', 'Z'));
  }
  return found;
}

test.each<{ text: string; after: string; expected: string[] }>([
  { text: '*/20 * * * *', after: '2026-01-01T00:00:00Z', expected: ['2026-01-01T00:20:00Z', '2026-01-01T00:40:00Z'] },
  { text: '5 4 * * mon', after: '2026-01-01T00:00:00Z', expected: ['2026-01-05T04:05:00Z', '2026-01-12T04:05:00Z'] },
  { text: '0 0 29 feb *', after: '2026-01-01T00:00:00Z', expected: ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z'] },
  {
    text: '0 0 13 * fri',
    after: '2026-01-01T00:00:00Z',
    expected: ['2026-01-02T00:00:00Z', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
  },
  { text: '0 12 * * 7', after: '2026-01-01T00:00:00Z', expected: ['2026-01-04T12:00:00Z'] },
  {
    text: '10-30/10 6 1,15 * *',
    after: '2026-01-01T06:10:00Z',
    expected: ['2026-01-01T06:20:00Z', '2026-01-01T06:30:00Z', '2026-01-15T06:10:00Z'],
  },
  {
    text: '30 6 * * * 2026',
    after: '2026-01-01T00:00:00Z',
    expected: ['2026-01-01T06:30:00Z', '2026-01-02T06:30:00Z'],
  },
  { text: '@hourly', after: '2026-01-01T00:00:00Z', expected: ['2026-01-01T01:00:00Z'] },
  { text: '@Midnight', after: '2026-01-01T00:00:01Z', expected: ['2026-01-02T00:00:00Z'] },
  { text: '@weekly', after: '2026-01-01T00:00:00Z', expected: ['2026-01-04T00:00:00Z'] },
  { text: '@annually', after: '2026-01-01T00:00:00Z', expected: ['2027-01-01T00:00:00Z'] },
])('the cron schedule "$text" has the right times after $after', ({ text, after, expected }) => {
  expect(moments(text, 'UTC', after, expected.length)).toEqual(expected);
});

test('a cron schedule uses the time zone of its check', () => {
  expect(moments('0 9 * * *', 'Asia/Tokyo', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00:00Z']);
  expect(moments('0 9 * * *', 'America/New_York', '2026-07-01T00:00:00Z', 1)).toEqual(['2026-07-01T13:00:00Z']);
});

test('a cron time that daylight saving time skips runs once, right after the gap', () => {
  // In Berlin, the clock jumps from 02:00 to 03:00 on 2026-03-29.
  expect(moments('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00Z',
    '2026-03-30T00:30:00Z',
  ]);
});

test('a cron time that occurs twice because of daylight saving time runs once, and an interval continues', () => {
  // In Berlin, the clock goes back from 03:00 to 02:00 on 2026-10-25.
  expect(moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00Z',
    '2026-10-26T01:30:00Z',
  ]);
  expect(moments('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:59:00Z', 5)).toEqual([
    '2026-10-25T00:00:00Z',
    '2026-10-25T00:30:00Z',
    '2026-10-25T01:00:00Z',
    '2026-10-25T01:30:00Z',
    '2026-10-25T02:00:00Z',
  ]);
});

test('a cron schedule for an impossible date has no times', () => {
  expect(moments('0 0 31 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([]);
});
