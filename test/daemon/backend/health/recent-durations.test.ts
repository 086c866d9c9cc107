import { expect, test } from 'vitest';
import { RecentDurations } from '../../../../daemon/backend/health/recent-durations.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function durations(): { readonly recent: RecentDurations; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { recent: new RecentDurations(() => clock.monotonic()), clock };
}

test('the 99th percentile of durations is undefined before the first duration', () => {
  expect(durations().recent.p99()).toBeUndefined();
});

test.each([0.02, 0.7, 5, 480, 60_000])(
  'a duration of %s ms is measured with an error of at most a tenth',
  (durationMs) => {
    const { recent } = durations();
    for (let count = 0; count < 1000; count++) recent.note(durationMs);
    const p99 = recent.p99() ?? 0;
    expect(p99).toBeGreaterThanOrEqual(durationMs * 0.999);
    expect(p99).toBeLessThan(durationMs * 1.11);
  },
);

test('one slow duration in a hundred does not change the 99th percentile, two slow durations do', () => {
  const { recent } = durations();
  for (let count = 0; count < 99; count++) recent.note(1);
  recent.note(1000);
  expect(recent.p99()).toBeLessThan(1.2);
  recent.note(1000);
  expect(recent.p99()).toBeGreaterThan(999);
});

test('durations outside the measured range count as the shortest or the longest measurable duration', () => {
  const { recent } = durations();
  recent.note(0);
  expect(recent.p99()).toBe(0.01);
  recent.note(Number.MAX_VALUE);
  expect(recent.p99()).toBeGreaterThan(3_600_000);
});

test('slow durations no longer count in the percentile after five minutes', () => {
  const { recent, clock } = durations();
  recent.note(1000);
  clock.advance(150_000);
  recent.note(1);
  expect(recent.p99()).toBeGreaterThan(999);
  clock.advance(150_000);
  expect(recent.p99()).toBeLessThan(1.2);
  clock.advance(300_000);
  expect(recent.p99()).toBeUndefined();
});
