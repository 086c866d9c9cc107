import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, readDuration } from '../../../shared/domain/duration.ts';
import { parseDuration } from '../../../shared/schemas/parse-duration.ts';

test.each([
  ['0', 0],
  ['90', 90],
  ['45s', 45],
  ['15m', 900],
  ['1h30m', 5400],
  ['2d', 172_800],
  ['1w3d4h5m6s', 604_800 + 3 * 86_400 + 4 * 3600 + 5 * 60 + 6],
  ['90m', 5400],
  ['90 minutes', 5400],
  ['1h 30m', 5400],
  ['1 hour 30 mins', 5400],
  ['2days', 172_800],
  ['1 week', 604_800],
])('the duration %s is %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each([
  '',
  ' ',
  '-1',
  '1.5h',
  '1y',
  '1H',
  'h',
  '1 month',
  '5 mi',
  '1h  30m',
  '30m1h',
  '1h2h',
  '1h30',
  '99999999999999999',
  '9999999999999999w',
])('the text %j is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('a duration without a unit is answered with a question, because people mean minutes as often as seconds', () => {
  expect(readDuration('30')).toEqual({
    problem: '30 of what? write 30m for minutes, 30h for hours or 30s for seconds',
  });
});

test('a typed duration may have several spaces, and an invalid one is answered with examples', () => {
  expect(readDuration('  1h   30m ')).toEqual({ seconds: 5400 });
  expect(readDuration('soon')).toEqual({
    problem: '"soon" is not a duration: write a duration such as 45s, 15m, 1h30m, 2d or 90 minutes',
  });
});

test.each([
  [-5, '0s', '0s'],
  [0, '0s', '0s'],
  [59.9, '59s', '59s'],
  [60, '1m', '1m'],
  [250, '4m10s', '4m'],
  [5400, '1h30m', '1h'],
  [3605, '1h', '1h'],
  [90_000, '1d1h', '1d'],
  [1_000_000, '1w4d', '1w'],
])('%d seconds are formatted as %s, and in a table as %s', (seconds, long, short) => {
  expect([formatDuration(seconds), formatDuration(seconds, 1)]).toEqual([long, short]);
});

test('a formatted duration parses to the same duration, rounded down by less than the smallest shown unit', () => {
  fc.assert(
    fc.property(fc.nat(200_000_000), (seconds) => {
      const back = parseDuration(formatDuration(seconds)) ?? Number.NaN;
      expect(back).toBeLessThanOrEqual(seconds);
      expect(back).toBeGreaterThan(seconds * 0.85 - 1);
    }),
  );
});
