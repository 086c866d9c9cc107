import { describe, expect, test } from 'vitest';
import {
  availabilityOf,
  joinedSpans,
  silencedSpans,
  stretchesOf,
  sumOf,
  type StatusChange,
} from '../../../../shared/domain/timeline/availability.ts';

const HOUR = 3_600_000;
const SPAN = { sinceMs: 0, untilMs: 10 * HOUR };
const turn = (hour: number, was: number | undefined, status: number | undefined): StatusChange => ({
  atMs: hour * HOUR,
  was,
  status,
});
const NEVER = -Infinity;

/** Returns the shares of availability; all times are in hours. */
function shares(
  turns: readonly StatusChange[],
  now: number | undefined,
  silenced: readonly (readonly [number, number])[] = [],
  keptSinceMs = NEVER,
): Record<string, number | null> {
  const spans = joinedSpans(silenced.map(([since, until]) => ({ sinceMs: since * HOUR, untilMs: until * HOUR })));
  const { percent, outages, ...seconds } = availabilityOf(stretchesOf(turns, now, SPAN, keptSinceMs), spans);
  const hours = Object.entries(seconds)
    .filter(([, of]) => of !== 0)
    .map(([name, of]) => [name, of / 3600]);
  return { ...Object.fromEntries(hours), percent, outages };
}

describe('availability over ten hours (spec, timeline 4)', () => {
  test.each([
    ['nothing became of it: as it is now', [], 0, { ok: 10, percent: 100, outages: 0 }],
    ['it still fails', [turn(8, 0, 2)], 2, { ok: 8, critical: 2, percent: 80, outages: 1 }],
    ['an outage that is over', [turn(5, 1, 0), turn(4, 0, 1)], 0, { ok: 9, warning: 1, percent: 90, outages: 1 }],
    [
      'getting worse is the same outage',
      [turn(6, 1, 2), turn(5, 0, 1)],
      2,
      { ok: 5, warning: 1, critical: 4, percent: 50, outages: 1 },
    ],
    [
      'before the span it had begun to fail',
      [turn(5, 2, 0), turn(-3, 0, 2)],
      0,
      { ok: 5, critical: 5, percent: 50, outages: 1 },
    ],
    ['after the span it changed', [turn(12, 0, 2)], 2, { ok: 10, percent: 100, outages: 0 }],
    ['it came during the span', [turn(5, undefined, 0)], 0, { ok: 5, no_data: 5, percent: 100, outages: 0 }],
    ['it was removed', [turn(5, 2, undefined)], undefined, { critical: 5, no_data: 5, percent: 0, outages: 1 }],
    ['nothing is known of it', [], undefined, { no_data: 10, percent: null, outages: 0 }],
    ['a status of its own is unknown', [turn(9, 0, 127)], 127, { ok: 9, unknown: 1, percent: 90, outages: 1 }],
  ])('availability is computed: %s', (_rule, turns, now, expected) => {
    expect(shares(turns, now)).toEqual(expected);
  });

  test('silenced outages count neither as available nor as unavailable, and silenced OK time counts as OK', () => {
    const outage = [turn(6, 2, 0), turn(2, 0, 2)];
    expect(shares(outage, 0, [[4, 8]])).toEqual({ ok: 6, critical: 2, silenced: 2, percent: 75, outages: 1 });
    expect(
      shares(outage, 0, [
        [1, 9],
        [3, 5],
      ]),
    ).toEqual({ ok: 6, silenced: 4, percent: 100, outages: 1 });
  });

  test('the time before the retention is unknown, except for what a transition says', () => {
    expect(shares([], 0, [], 4 * HOUR)).toEqual({ ok: 6, no_data: 4, percent: 100, outages: 0 });
    expect(shares([turn(2, 0, 2)], 2, [], 4 * HOUR)).toMatchObject({ critical: 8, no_data: 2 });
  });

  test('the availability of several checks is the sum of each', () => {
    const one = availabilityOf(stretchesOf([turn(8, 0, 2)], 2, SPAN, NEVER), []);
    const other = availabilityOf(stretchesOf([], 0, SPAN, NEVER), []);
    expect(sumOf([one, other])).toMatchObject({ ok: 18 * 3600, critical: 2 * 3600, percent: 90, outages: 1 });
    expect(sumOf([])).toMatchObject({ ok: 0, percent: null });
  });
});

const made = (atMs: number, beginMs = 0, endMs = Infinity) => ({ atMs, entry: { beginMs, endMs } });
const ended = (atMs: number) => ({ atMs, entry: undefined });

describe('the spans of a silence', () => {
  test.each([
    ['from when it was made', [made(5)], [{ sinceMs: 5, untilMs: Infinity }]],
    ['until it was cleared', [ended(9), made(5)], [{ sinceMs: 5, untilMs: 9 }]],
    ['or until its end, whether or not it was removed then', [ended(9), made(5, 0, 7)], [{ sinceMs: 5, untilMs: 7 }]],
    ['from its begin', [made(5, 8, 12)], [{ sinceMs: 8, untilMs: 12 }]],
    ['not at all when it was cleared before', [ended(6), made(5, 8, 12)], []],
    [
      'until another one took its place',
      [made(7, 0, 20), made(5)],
      [
        { sinceMs: 7, untilMs: 20 },
        { sinceMs: 5, untilMs: 7 },
      ],
    ],
    ['since always, when it ended and nobody knows its beginning', [ended(9)], [{ sinceMs: 3, untilMs: 9 }]],
  ])('a silence is active %s', (_rule, turns, expected) => {
    expect(silencedSpans(turns, 3)).toEqual(expected);
  });
});
