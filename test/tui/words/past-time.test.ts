import { expect, test } from 'vitest';
import { parsePastTime, pastText } from '../../../tui/words/past-time.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 22, 14, 7);

test.each([
  { text: '03:12', expected: Date.UTC(2026, 10, 20, 3, 12) },
  { text: '03:12Z', expected: Date.UTC(2026, 10, 20, 3, 12) },
  { text: '23:00', expected: Date.UTC(2026, 10, 19, 23, 0) },
  { text: '22:14:05', expected: Date.UTC(2026, 10, 20, 22, 14, 5) },
  { text: '22:14:30', expected: Date.UTC(2026, 10, 19, 22, 14, 30) },
  { text: '2h', expected: NOW_MS - 7_200_000 },
  { text: ' 2h ago ', expected: NOW_MS - 7_200_000 },
  { text: '2026-11-19 03:12Z', expected: Date.UTC(2026, 10, 19, 3, 12) },
  { text: '2026-11-19T03:12:40', expected: Date.UTC(2026, 10, 19, 3, 12, 40) },
])('the console parses the text $text as a time in the past', ({ text, expected }) => {
  expect(parsePastTime(text, NOW_MS)).toBe(expected);
});

test.each(['', 'yesterday', '24:00', '12:60', '2026-11-21 02:00Z', '2026-13-01 00:00'])(
  'the console rejects the text %j as a time in the past',
  (text) => {
    expect(parsePastTime(text, NOW_MS)).toBeUndefined();
  },
);

test('a past time is printed in a form that parses to the same time', () => {
  const text = pastText(NOW_MS);
  expect([text, parsePastTime(text, NOW_MS + 1000)]).toEqual(['2026-11-20 22:14:07Z', NOW_MS]);
});
