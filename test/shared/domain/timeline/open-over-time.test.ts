import { describe, expect, test } from 'vitest';
import {
  statusCountsOf,
  periodMsOf,
  StatusCounter,
  type StatusCounts,
} from '../../../../shared/domain/timeline/open-over-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 100 * HOUR;
const SPAN = { sinceMs: NOW - 5 * MINUTE, untilMs: NOW };

function counts(critical: number, warning = 0): StatusCounts {
  return { ok: 0, warning, critical, unknown: 0 };
}

function criticalOf(all: readonly (StatusCounts | undefined)[]): (number | undefined)[] {
  return all.map((one) => one?.critical);
}

describe('numbers of open problems over time', () => {
  test('a problem is counted in every period in which it was open', () => {
    const counter = new StatusCounter(counts(1), SPAN);
    counter.add({ atMs: NOW - 2.5 * MINUTE, previousStatus: undefined, status: 2 });
    expect(criticalOf(counter.worstOfPeriods(0))).toEqual([0, 0, 1, 1, 1]);
  });

  test('a problem that was open for a second is visible in its period', () => {
    const counter = new StatusCounter(counts(0), SPAN);
    counter.add({ atMs: NOW - 2.5 * MINUTE, previousStatus: 2, status: undefined });
    counter.add({ atMs: NOW - 2.5 * MINUTE - 1000, previousStatus: undefined, status: 2 });
    expect(criticalOf(counter.worstOfPeriods(0))).toEqual([0, 0, 1, 0, 0]);
  });

  test('a period has the counts of the moment with the most problems', () => {
    const counter = new StatusCounter(counts(1, 1), SPAN);
    // One check changed from critical to warning, after two others had resolved.
    counter.add({ atMs: NOW - 10_000, previousStatus: 2, status: 1 });
    counter.add({ atMs: NOW - 20_000, previousStatus: 1, status: 0 });
    counter.add({ atMs: NOW - 30_000, previousStatus: 1, status: 0 });
    const worst = counter.worstOfPeriods(0).at(-1);
    expect([worst?.critical, worst?.warning]).toEqual([2, 2]);
  });

  test('changes after the end of the span only lead back to the counts at its end', () => {
    const counter = new StatusCounter(counts(7), SPAN);
    counter.add({ atMs: NOW + MINUTE, previousStatus: 0, status: 2 });
    counter.add({ atMs: NOW + 1, previousStatus: 0, status: 2 });
    expect(criticalOf(counter.worstOfPeriods(0))).toEqual([5, 5, 5, 5, 5]);
  });

  test('periods before the known history have no counts', () => {
    const counter = new StatusCounter(counts(1), SPAN);
    expect(criticalOf(counter.worstOfPeriods(NOW - 2 * MINUTE))).toEqual([undefined, undefined, undefined, 1, 1]);
  });

  test('a day is divided into 288 periods of five minutes, and a shorter span into whole minutes', () => {
    expect(periodMsOf({ sinceMs: NOW - 24 * HOUR, untilMs: NOW })).toBe(5 * MINUTE);
    expect(periodMsOf({ sinceMs: NOW - 1000, untilMs: NOW })).toBe(MINUTE);
    expect(periodMsOf({ sinceMs: NOW - 25 * HOUR, untilMs: NOW })).toBe(6 * MINUTE);
  });

  test('checks with an unknown status are not counted', () => {
    expect(statusCountsOf([0, 0, 1, 2, 3, 99, undefined])).toEqual({ ok: 2, warning: 1, critical: 1, unknown: 2 });
  });
});
