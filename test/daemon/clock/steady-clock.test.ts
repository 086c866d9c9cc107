import { describe, expect, test } from 'vitest';
import {
  NO_CORRECTIONS,
  correctionCount,
  totalCorrectionMs,
  correctionSecondsSince,
  withCorrection,
} from '../../../daemon/clock/corrections.ts';
import { SteadyClock, type ClockJump } from '../../../daemon/clock/steady-clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const START = ManualClock.START_MS;
const HOUR = 3_600_000;

describe('a jump of the wall clock', () => {
  test.each([
    ['forward', 2 * HOUR],
    ['backward', -2 * HOUR],
  ])('a jump %s of the wall clock is reported once, and the steady clock does not follow it', (_title, byMs) => {
    const machine = new ManualClock();
    const jumps: ClockJump[] = [];
    const clock = new SteadyClock(machine, { onJump: (jump) => jumps.push(jump) });
    machine.advance(5000);
    machine.set(byMs);
    expect(clock.now()).toBe(START + 5000);
    machine.advance(10_000);
    expect(clock.now()).toBe(START + 15_000);
    expect(jumps).toEqual([{ atMs: START + 5000, seconds: byMs / 1000 }]);
    expect([clock.pendingJumpSeconds, clock.pendingJumpAgeMs]).toEqual([byMs / 1000, 10_000]);
  });

  test('a wall clock that jumps ahead and back does not change the time of the steady clock', () => {
    const machine = new ManualClock();
    const clock = new SteadyClock(machine);
    machine.set(2 * HOUR);
    machine.advance(1);
    clock.now();
    machine.set(-2 * HOUR);
    machine.advance(1000);
    expect([clock.now(), clock.pendingJumpSeconds, clock.jumps]).toEqual([START + 1001, 0, 2]);
  });

  test('the steady clock follows a jump of the wall clock once the jump is confirmed', () => {
    const machine = new ManualClock();
    const clock = new SteadyClock(machine, { adoptAfterMs: (seconds) => (seconds > 0 ? 0 : 600_000) });
    machine.set(HOUR);
    machine.advance(1);
    expect([clock.now(), clock.steady()]).toEqual([START + HOUR + 1, START + 1]);
    machine.set(-HOUR);
    machine.advance(1000);
    expect(clock.now()).toBe(START + HOUR + 1001);
    machine.advance(600_000);
    clock.now();
    expect([clock.now(), clock.steady()]).toEqual([START + 601_001, START + 601_001]);
  });
});

test('the steady clock follows drift of the wall clock by at most a millisecond per second and never goes back', () => {
  const machine = new ManualClock();
  const clock = new SteadyClock(machine);
  let lastMs = clock.now();
  machine.set(-500);
  for (let second = 0; second < 600; second++) {
    machine.advance(1000);
    const nowMs = clock.now();
    expect(nowMs - lastMs).toBeGreaterThanOrEqual(998);
    expect(nowMs - lastMs).toBeLessThanOrEqual(1000);
    lastMs = nowMs;
  }
  expect([lastMs - machine.now(), clock.jumps]).toEqual([0, 0]);
});

test('the steady clock runs at the same speed, however often it is read', () => {
  // The monotonic clock advances by an eighth of a microsecond at each reading, as in a loop that only reads the time.
  let ms = 0;
  const machine = new ManualClock();
  const clock = new SteadyClock({
    monotonic: () => (ms += 0.000_125),
    now: () => Math.floor(ManualClock.START_MS + ms),
    after: machine.after.bind(machine),
    every: machine.every.bind(machine),
  });
  for (let look = 0; look < 1_000_000; look++) clock.now();
  expect(Math.abs(clock.now() - ManualClock.START_MS - ms)).toBeLessThan(2);
});

test('the steady clock counts the time during which the machine slept', () => {
  const machine = new ManualClock();
  machine.bootId = 'a';
  const clock = new SteadyClock(machine);
  machine.sleep(HOUR);
  machine.advance(1000);
  expect([clock.now(), clock.jumps]).toEqual([START + HOUR + 1000, 0]);
});

test('the steady clock ignores a wall clock reading during which the process was blocked', () => {
  const machine = new ManualClock();
  let heldUp = 1;
  const clock = new SteadyClock({
    monotonic: () => machine.monotonic(),
    now: () => {
      const nowMs = machine.now();
      if (heldUp-- > 0) machine.advance(HOUR);
      return nowMs;
    },
    after: machine.after.bind(machine),
    every: machine.every.bind(machine),
  });
  expect([clock.now(), clock.jumps]).toEqual([START + HOUR, 0]);
});

describe('the steady clock at the start of a process', () => {
  interface Restart {
    readonly title: string;
    /** A change of the wall clock before the stop that was not adopted yet. */
    readonly wasSetMs?: number;
    /** `awayMs` is the true duration of the downtime, `setMs` the change of the wall clock during the downtime. */
    readonly awayMs: number;
    readonly setMs: number;
    readonly isBooted?: boolean;
    readonly passedMs: number;
    readonly correction: number;
  }
  const restarts: readonly Restart[] = [
    { title: 'time passed', awayMs: HOUR, setMs: 0, passedMs: HOUR, correction: 0 },
    { title: 'the clock was set forward', awayMs: 60_000, setMs: HOUR, passedMs: 60_000, correction: 3600 },
    { title: 'the clock was set back', awayMs: 60_000, setMs: -HOUR, passedMs: 60_000, correction: -3600 },
    {
      title: 'a clock that is ahead after a reboot is followed',
      awayMs: 60_000,
      setMs: HOUR,
      isBooted: true,
      passedMs: HOUR + 60_000,
      correction: 0,
    },
    {
      title: 'a clock that is behind after a reboot counts as no time passed',
      awayMs: 0,
      setMs: -HOUR,
      isBooted: true,
      passedMs: 0,
      correction: -3600,
    },
    {
      title: 'a clock that was off is still off after a reboot',
      wasSetMs: HOUR,
      awayMs: 60_000,
      setMs: 0,
      isBooted: true,
      passedMs: 60_000,
      correction: 3600,
    },
    {
      title: 'a clock that was off is right after a reboot',
      wasSetMs: -HOUR,
      awayMs: 60_000,
      setMs: HOUR,
      isBooted: true,
      passedMs: 60_000,
      correction: 0,
    },
  ];
  test.each(restarts)(
    'the steady clock continues with the right time after a start: $title',
    ({ wasSetMs = 0, awayMs, setMs, isBooted = false, passedMs, correction }) => {
      const machine = new ManualClock();
      machine.bootId = 'a';
      const before = new SteadyClock(machine);
      machine.advance(5000);
      machine.set(wasSetMs);
      const anchor = before.anchor();
      machine.advance(awayMs);
      machine.set(setMs);
      if (isBooted) machine.bootId = 'b';
      const clock = new SteadyClock(machine, { anchor });
      expect(clock.steady() - before.anchor().steadyMs + awayMs).toBe(passedMs);
      expect(clock.now()).toBe(machine.now());
      expect(correctionSecondsSince(clock.anchor().corrections, correctionCount(anchor.corrections))).toBe(correction);
    },
  );
});

test('the oldest of many clock corrections are merged', () => {
  let corrections = NO_CORRECTIONS;
  for (let count = 0; count < 250; count++) corrections = withCorrection(corrections, count % 2 === 0 ? 10 : -7);
  expect(corrections.seconds).toHaveLength(100);
  expect([correctionCount(corrections), totalCorrectionMs(corrections)]).toEqual([250, 375_000]);
  expect([correctionSecondsSince(corrections, 248), correctionSecondsSince(corrections, 250)]).toEqual([3, 0]);
});
