import { expect, test } from 'vitest';
import { calendarText } from '../../../../shared/domain/on-call/calendar.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SHIFT = {
  person: 'ada',
  source: { layer: 1 },
  fromMs: Date.parse('2026-01-05T08:00:00Z'),
  untilMs: Date.parse('2026-01-12T08:00:00Z'),
};

test('a calendar has an event for each shift, in lines that end with CR and LF', () => {
  const lines = calendarText('database', [SHIFT], NOW).split('\r\n');
  expect(lines).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//mon//on call//EN',
    'X-WR-CALNAME:On call: database',
    'BEGIN:VEVENT',
    'UID:database-ada-layer-1-1767600000@mon',
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20260105T080000Z',
    'DTEND:20260112T080000Z',
    'SUMMARY:ada is on call for database',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

test('a calendar escapes special characters and folds lines at 75 octets', () => {
  const person = `a;b,c\\${'ü'.repeat(60)}`;
  const text = calendarText('database', [{ ...SHIFT, person }], NOW);
  const lines = text.split('\r\n');
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
  const unfolded = text.replaceAll('\r\n ', '');
  expect(unfolded).toContain(String.raw`SUMMARY:a\;b\,c\\${'ü'.repeat(60)} is on call for database`);
});
