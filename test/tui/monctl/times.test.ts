import { afterEach, expect, test } from 'vitest';
import { parseBegin, parseLifetime, parsePast, timestampText, timeWithAge } from '../../../tui/monctl/times.ts';
import { configureZone } from '../../../tui/words/shown-time.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOW = NOW_MS / 1000;

afterEach(() => configureZone(undefined));

test('monctl reads and shows times in the configured zone', () => {
  configureZone('America/New_York');
  expect(parsePast('22:00', NOW_MS)).toBe(Date.UTC(2026, 10, 20, 3));
  expect(parseBegin('--begin', '22:00', NOW_MS)).toBe(Date.UTC(2026, 10, 21, 3) / 1000);
  expect(timestampText(NOW)).toBe('2026-11-20 07:00:00 EST');
});

test('monctl shows the age of a time, and impossible times as numbers', () => {
  expect(timestampText(NOW)).toBe('2026-11-20 12:00:00Z');
  expect(timeWithAge(NOW - 250, NOW_MS)).toBe('2026-11-20 11:55:50Z (4m10s ago)');
  expect(timestampText(1e300)).toBe('1e+300');
});

test('a lifetime has at least one second, and a number without a unit is a question', () => {
  expect(parseLifetime('--max', '1h30m')).toBe(5400);
  expect(() => parseLifetime('--max', '0h')).toThrow(/^--max must be at least one second/);
  expect(() => parseLifetime('--max', 'soon')).toThrow(/^--max "soon" is not a duration: write/);
  expect(() => parseLifetime('--max', '30')).toThrow(/^--max 30 of what\? write 30m for minutes/);
});

test('a number without a unit is seconds in options that are named after an attribute of the API', () => {
  expect(parseLifetime('--expire', '3600', 'seconds')).toBe(3600);
  expect(() => parseLifetime('--expire', '0', 'seconds')).toThrow(/^--expire must be at least one second/);
});

test.each(['2020-01-01T00:00', '2026-11-20T11:58Z', '90 seconds ago'])(
  'the begin %s of a silence is rejected because it is in the past',
  (text) => {
    expect(() => parseBegin('--begin', text, NOW_MS)).toThrow(
      /^--begin ".*" is .* in the past: write a later time, or now$/,
    );
  },
);

test('an invalid time is rejected with examples of valid times', () => {
  expect(() => parseBegin('--begin', 'tonight', NOW_MS)).toThrow(
    /^--begin "tonight" is not a time: write 22:00, tomorrow/,
  );
  expect(() => parsePast('soon', NOW_MS)).toThrow(/^"soon" is not a time: write 22:00, yesterday 03:12/);
});
