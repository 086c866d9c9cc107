import { expect, test } from 'vitest';
import { SteadyClock } from '../../../daemon/clock/steady-clock.ts';
import { runTimetable } from '../../../daemon/schedule/run-timetable.ts';
import { timetableOf } from '../../../daemon/schedule/timetable.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Returns the monotonic times of all runs in milliseconds. Each jump is the time when the wall clock is set, and by how
 * much.
 */
function runsOf(
  check: { readonly interval: number } | { readonly cron: string; readonly timezone: string },
  jumps: readonly (readonly [atMs: number, byMs: number])[],
  options: { readonly endMs: number; readonly adoptAfterMs?: number },
): number[] {
  const machine = new ManualClock();
  const { endMs, adoptAfterMs } = options;
  const clock = new SteadyClock(machine, adoptAfterMs === undefined ? {} : { adoptAfterMs: () => adoptAfterMs });
  const timetable = timetableOf('disk', check);
  const runs: number[] = [];
  if (timetable === undefined) return runs;
  using running = runTimetable(clock, timetable, () => runs.push(machine.monotonic()));
  for (const [atMs, byMs] of jumps) {
    // A timer may read the time in the same millisecond, so the clock is set one millisecond earlier.
    machine.advance(atMs - 1 - machine.monotonic());
    machine.set(byMs);
    clock.now();
  }
  machine.advance(endMs - machine.monotonic());
  expect(running.nextMs).toBeDefined();
  return runs;
}

test.each([
  ['that never happens', []],
  [
    'forward and backward',
    [
      [150_000, 2 * HOUR],
      [290_000, -2 * HOUR],
    ],
  ],
  ['backward', [[150_000, -2 * HOUR]]],
] as const)(
  'a check with an interval runs on without a gap during a clock jump %s, even when the jump is confirmed',
  (_title, jumps) => {
    const plain = runsOf({ interval: 60 }, [], { endMs: 30 * MINUTE });
    expect(plain).toHaveLength(30);
    expect(runsOf({ interval: 60 }, jumps, { endMs: 30 * MINUTE })).toEqual(plain);
    expect(runsOf({ interval: 60 }, jumps, { endMs: 30 * MINUTE, adoptAfterMs: MINUTE })).toEqual(plain);
  },
);

test('a cron schedule follows a confirmed clock jump, and times that the jump skips run once', () => {
  // The manual clock starts at midnight.
  const nightly = { cron: '30 1 * * *', timezone: 'UTC' };
  const options = { endMs: 3 * HOUR, adoptAfterMs: 10 * MINUTE };
  expect(runsOf(nightly, [], options)).toEqual([90 * MINUTE]);
  expect(runsOf(nightly, [[5 * MINUTE, HOUR]], options)).toEqual([30 * MINUTE]);
  expect(runsOf(nightly, [[5 * MINUTE, -HOUR]], options)).toEqual([150 * MINUTE]);
  expect(runsOf(nightly, [[5 * MINUTE, 2 * HOUR]], options)).toEqual([15 * MINUTE]);
});
