import { describe, expect, test } from 'vitest';
import {
  onCallName,
  onCallScheduleOf,
  onCallScheduleSchema,
  parseEvery,
  parseHandover,
  parseHours,
} from '../../../shared/schemas/on-call.ts';

const HOUR_MS = 3_600_000;

describe('a schedule', () => {
  test.each([
    ['mon 09:00', { weekday: 1, timeMs: 9 * HOUR_MS }],
    ['Sunday 9:30', { weekday: 0, timeMs: 9.5 * HOUR_MS }],
    ['00:00', { weekday: undefined, timeMs: 0 }],
    ['mon-fri 09:00', undefined],
    ['mon 24:00', undefined],
    ['', undefined],
  ])('has the handover %j', (text, handover) => {
    expect(parseHandover(text)).toEqual(handover);
  });

  test.each([
    ['1 week', 168 * HOUR_MS],
    ['2 days', 48 * HOUR_MS],
    ['12 hours', 12 * HOUR_MS],
    ['52 weeks', 52 * 168 * HOUR_MS],
    ['53 weeks', undefined],
    ['0 hours', undefined],
    ['30 minutes', undefined],
  ])('has shifts of %j', (text, everyMs) => {
    expect(parseEvery(text)).toBe(everyMs);
  });

  test('has hours that may last until the next day', () => {
    expect(parseHours('mon-fri 18:00-08:00, sat-sun')).toEqual([
      { weekdays: new Set([1, 2, 3, 4, 5]), beginMs: 18 * HOUR_MS, endMs: 32 * HOUR_MS },
      { weekdays: new Set([6, 0]), beginMs: 0, endMs: 24 * HOUR_MS },
    ]);
    expect(parseHours('mon 25:00-26:00')).toBeUndefined();
    expect(parseHours('')).toBeUndefined();
  });

  test('rejects unknown attributes, names with a slash, and a wrong zone', () => {
    expect(problems({ layers: [{ people: ['ada'], handovers: '09:00' }] })).toEqual(['layers.0']);
    expect(problems({ layers: [{ people: ['on/call'] }] })).toEqual(['layers.0.people.0']);
    expect(problems({ 'time-zone': 'Mars', layers: [] })).toEqual(['time-zone', 'layers']);
  });
});

function problems(definition: object): string[] {
  return onCallScheduleSchema.safeParse(definition).error?.issues.map(({ path }) => path.join('.')) ?? [];
}

test('the name on-call/database refers to the schedule database', () => {
  expect(onCallScheduleOf(onCallName('database'))).toBe('database');
  expect(onCallScheduleOf('slack')).toBeUndefined();
});
