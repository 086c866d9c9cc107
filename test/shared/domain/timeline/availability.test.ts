import { describe, expect, test } from 'vitest';
import {
  availabilityOf,
  joinedSpans,
  silencedSpans,
  statusSpansOf,
  sumOf,
  type StatusChange,
} from '../../../../shared/domain/timeline/availability.ts';

const HOUR = 3_600_000;
const SPAN = { sinceMs: 0, untilMs: 10 * HOUR };
const statusChangeAt = (hour: number, was: number | undefined, status: number | undefined): StatusChange => ({
  atMs: hour * HOUR,
  previousStatus: was,
  status,
});
const NEVER = -Infinity;

/** Returns the shares of availability. All times are in hours. */
function shares(
  turns: readonly StatusChange[],
  now: number | undefined,
  silenced: readonly (readonly [number, number])[] = [],
  keptSinceMs = NEVER,
): Record<string, number | null> {
  const spans = joinedSpans(silenced.map(([since, until]) => ({ sinceMs: since * HOUR, untilMs: until * HOUR })));
  const { percent, outages, ...seconds } = availabilityOf(statusSpansOf(turns, now, SPAN, keptSinceMs), spans);
  const hours = Object.entries(seconds)
    .filter(([, of]) => of !== 0)
    .map(([name, of]) => [name, of / 3600]);
  return { ...Object.fromEntries(hours), percent, outages };
}

describe('availability over ten hours (spec, timeline 4)', () => {
  test.each([
    [
      'a check without transitions has its current status for the whole span',
      [],
      0,
      { ok: 10, percent: 100, outages: 0 },
    ],
    [
      'an open outage counts until the end of the span',
      [statusChangeAt(8, 0, 2)],
      2,
      { ok: 8, critical: 2, percent: 80, outages: 1 },
    ],
    [
      'a resolved outage counts for its duration',
      [statusChangeAt(5, 1, 0), statusChangeAt(4, 0, 1)],
      0,
      { ok: 9, warning: 1, percent: 90, outages: 1 },
    ],
    [
      'a change of severity continues the same outage',
      [statusChangeAt(6, 1, 2), statusChangeAt(5, 0, 1)],
      2,
      { ok: 5, warning: 1, critical: 4, percent: 50, outages: 1 },
    ],
    [
      'an outage that began before the span counts from the start of the span',
      [statusChangeAt(5, 2, 0), statusChangeAt(-3, 0, 2)],
      0,
      { ok: 5, critical: 5, percent: 50, outages: 1 },
    ],
    ['a change after the span does not count', [statusChangeAt(12, 0, 2)], 2, { ok: 10, percent: 100, outages: 0 }],
    [
      'a check that appeared during the span has no data before',
      [statusChangeAt(5, undefined, 0)],
      0,
      { ok: 5, no_data: 5, percent: 100, outages: 0 },
    ],
    [
      'a removed check has no data after the removal',
      [statusChangeAt(5, 2, undefined)],
      undefined,
      { critical: 5, no_data: 5, percent: 0, outages: 1 },
    ],
    ['a check without any history has no data', [], undefined, { no_data: 10, percent: null, outages: 0 }],
    [
      'a status above 3 counts as unknown',
      [statusChangeAt(9, 0, 127)],
      127,
      { ok: 9, unknown: 1, percent: 90, outages: 1 },
    ],
  ])('the availability of a check is computed: %s', (_rule, turns, now, expected) => {
    expect(shares(turns, now)).toEqual(expected);
  });

  test('silenced outage time counts neither as available nor as unavailable, and silenced OK time counts as OK', () => {
    const outage = [statusChangeAt(6, 2, 0), statusChangeAt(2, 0, 2)];
    expect(shares(outage, 0, [[4, 8]])).toEqual({ ok: 6, critical: 2, silenced: 2, percent: 75, outages: 1 });
    expect(
      shares(outage, 0, [
        [1, 9],
        [3, 5],
      ]),
    ).toEqual({ ok: 6, silenced: 4, percent: 100, outages: 1 });
  });

  test('the status before the retention is unknown unless the first transition contains it', () => {
    expect(shares([], 0, [], 4 * HOUR)).toEqual({ ok: 6, no_data: 4, percent: 100, outages: 0 });
    expect(shares([statusChangeAt(2, 0, 2)], 2, [], 4 * HOUR)).toMatchObject({ critical: 8, no_data: 2 });
  });

  test('the availability of several checks adds up the times of each check', () => {
    const one = availabilityOf(statusSpansOf([statusChangeAt(8, 0, 2)], 2, SPAN, NEVER), []);
    const other = availabilityOf(statusSpansOf([], 0, SPAN, NEVER), []);
    expect(sumOf([one, other])).toMatchObject({ ok: 18 * 3600, critical: 2 * 3600, percent: 90, outages: 1 });
    expect(sumOf([])).toMatchObject({ ok: 0, percent: null });
  });
});

const silenceCreated = (atMs: number, beginMs = 0, endMs = Infinity) => ({ atMs, entry: { beginMs, endMs } });
const silenceEnded = (atMs: number) => ({ atMs, entry: undefined });

describe('the spans of a silence', () => {
  test.each([
    ['from its creation on', [silenceCreated(5)], [{ sinceMs: 5, untilMs: Infinity }]],
    ['until it was cleared', [silenceEnded(9), silenceCreated(5)], [{ sinceMs: 5, untilMs: 9 }]],
    [
      'until its end even if its removal was recorded later',
      [silenceEnded(9), silenceCreated(5, 0, 7)],
      [{ sinceMs: 5, untilMs: 7 }],
    ],
    ['from its begin on', [silenceCreated(5, 8, 12)], [{ sinceMs: 8, untilMs: 12 }]],
    ['for no time if it was cleared before its begin', [silenceEnded(6), silenceCreated(5, 8, 12)], []],
    [
      'until another silence replaced it',
      [silenceCreated(7, 0, 20), silenceCreated(5)],
      [
        { sinceMs: 7, untilMs: 20 },
        { sinceMs: 5, untilMs: 7 },
      ],
    ],
    ['from the start of the history if its creation is unknown', [silenceEnded(9)], [{ sinceMs: 3, untilMs: 9 }]],
  ])('the active span of a past silence lasts %s', (_rule, turns, expected) => {
    expect(silencedSpans(turns, 3)).toEqual(expected);
  });
});
