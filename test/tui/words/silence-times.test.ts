import { describe, expect, test } from 'vitest';
import { nextTimeOfDay, parseStart, startText } from '../../../tui/words/silence-times.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 22, 14, 7);

function seconds(...date: readonly [year: number, month: number, day: number, hour: number, minute: number]): number {
  return Date.UTC(...date) / 1000;
}

describe('the start of a silence', () => {
  test.each([
    { text: '22:30', expected: seconds(2026, 10, 20, 22, 30) },
    { text: '22:30Z', expected: seconds(2026, 10, 20, 22, 30) },
    { text: ' 6:00 ', expected: seconds(2026, 10, 21, 6, 0) },
    { text: '2026-11-21 02:00Z', expected: seconds(2026, 10, 21, 2, 0) },
    { text: '2026-11-21T02:00', expected: seconds(2026, 10, 21, 2, 0) },
    { text: '+2h', expected: NOW_MS / 1000 + 7200 },
  ])('the start $text of a silence is parsed', ({ text, expected }) => {
    expect(parseStart(text, NOW_MS)).toBe(expected);
  });

  test.each(['', 'soon', '24:00', '12:60', '+', '2h', '2026-11-19 02:00Z', '2026-13-01 00:00'])(
    'the start %j of a silence is invalid or in the past',
    (text) => {
      expect(parseStart(text, NOW_MS)).toBeUndefined();
    },
  );
});

test.each([seconds(2026, 10, 21, 2, 0), seconds(2026, 10, 21, 2, 0) + 7])(
  'the displayed start %j of a silence parses back to the same start',
  (start) => {
    expect(parseStart(startText(start), NOW_MS)).toBe(start);
  },
);

test('a time of day as the start of a silence is always the next such time', () => {
  expect(nextTimeOfDay(6, 0, Date.UTC(2026, 10, 20, 5, 59))).toBe(Date.UTC(2026, 10, 20, 6));
  expect(nextTimeOfDay(6, 0, Date.UTC(2026, 10, 20, 6))).toBe(Date.UTC(2026, 10, 21, 6));
});
