import { expect, onTestFinished, test } from 'vitest';
import { TimerLag } from '../../../../daemon/backend/schedule/timer-lag.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('the timer lag is the largest timer delay of the last minute', () => {
  const clock = new ManualClock();
  let lateMs = 0;
  const lag = new TimerLag({
    now: () => clock.now(),
    // Time continues while the process is blocked.
    monotonic: () => clock.monotonic() + lateMs,
    after: (delayMs, task) => clock.after(delayMs, task),
    every: (periodMs, task) => clock.every(periodMs, task),
  });
  onTestFinished(() => lag[Symbol.dispose]());
  expect(lag.worstMs).toBe(0);
  clock.advance(10_000);
  expect(lag.worstMs).toBe(0);
  lateMs = 250;
  clock.advance(1000);
  expect(lag.worstMs).toBe(250);
  clock.advance(59_000);
  expect(lag.worstMs).toBe(250);
  clock.advance(1000);
  expect(lag.worstMs).toBe(0);
});
