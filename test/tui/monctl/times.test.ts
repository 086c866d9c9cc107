import { expect, test } from 'vitest';
import {
  timeWithAge,
  parseBegin,
  parseLifetime,
  parseMoment,
  parsePast,
  timestamp,
} from '../../../tui/monctl/times.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOW = NOW_MS / 1000;

test.each([
  ['1893463200', 1_893_463_200],
  ['+2h', NOW + 7200],
  ['+90', NOW + 90],
  ['2026-11-20T22:00Z', NOW + 36_000],
  ['2026-11-20 22:00:30Z', NOW + 36_030],
  ['2026-11-20T22:00+01:00', NOW + 32_400],
  ['2026-11-20T22:00', new Date(2026, 10, 20, 22).getTime() / 1000],
  ['2026-11-21', new Date(2026, 10, 21).getTime() / 1000],
])('monctl parses the text %s as a time', (text, seconds) => {
  expect(parseMoment(text, NOW_MS)).toBe(seconds);
});

test.each(['', 'now', 'May', '1 Jan', '+', '+1y', '2h', '2026-13-01', '2026-11-20T25:00', '1969-12-31T23:00Z'])(
  'monctl rejects the text %j as a time',
  (text) => {
    expect(() => parseMoment(text, NOW_MS)).toThrow(/is not a time: use 2026-11-20T22:00/);
  },
);

test.each([
  ['2h', NOW_MS - 7_200_000],
  ['2026-11-19T22:00Z', Date.UTC(2026, 10, 19, 22)],
  ['11:59:30Z', Date.UTC(2026, 10, 20, 11, 59, 30)],
  ['12:00Z', NOW_MS],
  ['12:00:01Z', Date.UTC(2026, 10, 19, 12, 0, 1)],
  ['3:12Z', Date.UTC(2026, 10, 20, 3, 12)],
])('monctl parses the text %s as a time in the past', (text, ms) => {
  expect(parsePast(text, NOW_MS)).toBe(ms);
});

test('a past time of day without a zone is the last such time of the local clock', () => {
  const at = parsePast('18:15:48', NOW_MS);
  expect(new Date(at).toTimeString().slice(0, 8)).toBe('18:15:48');
  expect(at).toBeLessThanOrEqual(NOW_MS);
  expect(at).toBeGreaterThan(NOW_MS - 25 * 3_600_000);
});

test.each(['24:00', '12:60', '12:00:60', '1:2'])('monctl rejects the text %j as a time of day', (text) => {
  expect(() => parsePast(text, NOW_MS)).toThrow(/is not a time: use .*, 22:00, 2h \(ago\) or epoch seconds/);
});

test('monctl accepts an expiry of at least one second', () => {
  expect(parseLifetime('--expire', '1h30m')).toBe(5400);
  for (const text of ['0', '0h', '-1', 'soon']) {
    expect(() => parseLifetime('--expire', text)).toThrow(/--expire must be at least one second/);
  }
});

test('monctl prints times in UTC, and impossible times as numbers', () => {
  expect(timestamp(NOW)).toBe('2026-11-20 12:00:00Z');
  expect(timeWithAge(NOW - 250, NOW_MS)).toBe('2026-11-20 11:55:50Z (4m10s ago)');
  expect(timestamp(1e300)).toBe('1e+300');
});

const BEGIN = (text: string): number => parseBegin('--begin', text, NOW_MS);

test.each([
  ['2h', NOW + 7200],
  ['+2h', NOW + 7200],
  ['22:00Z', NOW + 36_000],
  ['12:00Z', NOW],
  ['11:59:30Z', NOW - 30],
  ['11:58Z', NOW + 86_400 - 120],
  ['3:12Z', Date.UTC(2026, 10, 21, 3, 12) / 1000],
  ['2026-11-20T22:00Z', NOW + 36_000],
  [String(NOW + 5), NOW + 5],
])('the begin %s of a silence is parsed', (text, seconds) => {
  expect(BEGIN(text)).toBe(seconds);
});

test('the begin of a silence without a time zone is the next such time of the local clock', () => {
  const at = BEGIN('18:15:48') * 1000;
  expect(new Date(at).toTimeString().slice(0, 8)).toBe('18:15:48');
  expect(at).toBeGreaterThan(NOW_MS - 60_000);
  expect(at).toBeLessThan(NOW_MS + 25 * 3_600_000);
});

test.each(['2020-01-01T00:00', '90', '2026-11-20T11:58Z'])(
  'the begin %s of a silence is rejected because it is in the past',
  (text) => {
    expect(() => BEGIN(text)).toThrow(/^--begin ".*" is .* in the past: omit --begin to start now$/);
  },
);

test('an invalid begin of a silence is rejected with the accepted forms', () => {
  expect(() => BEGIN('tonight')).toThrow(/is not a time: use .*, 22:00, 2h \(from now\) or epoch seconds/);
});
