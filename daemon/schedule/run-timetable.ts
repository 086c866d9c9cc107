import type { Timetable } from './timetable.ts';

/**
 * Maximum duration of one timer in milliseconds. It limits how late a sleep of the host or a clock correction is
 * noticed.
 */
const WAIT_MAX_MS = 60_000;

/** The operations of a clock that a timetable needs. */
interface Alarm {
  /** Epoch milliseconds. */
  now(): number;
  /** Returns `now` without the corrections of the clock. */
  steady(): number;
  after(delayMs: number, task: () => void): Disposable;
}

export interface RunningTimetable extends Disposable {
  /** The time of the next run in epoch milliseconds; undefined if there is none. */
  readonly nextMs: number | undefined;
}

/**
 * Calls a function at each time of a timetable, until the returned object is disposed of. If several times were missed,
 * for example because the host slept, there is one call for all of them.
 *
 * @param run called with the current time in epoch milliseconds
 */
export function runTimetable(clock: Alarm, timetable: Timetable, run: (nowMs: number) => void): RunningTimetable {
  const time = (): number => (timetable.isByCalendar ? clock.now() : clock.steady());
  // A run that is due right now is included.
  let nextMs = timetable.next(time() - 1);
  let timer: Disposable | undefined;

  function sleep(): void {
    timer = undefined;
    if (nextMs === undefined) return;
    timer = clock.after(Math.min(Math.max(0, nextMs - time()), WAIT_MAX_MS), wake);
  }
  function wake(): void {
    const nowMs = time();
    const dueMs = nextMs;
    // The timer ended only to check the clock, or slightly early.
    if (dueMs === undefined || nowMs < dueMs) {
      sleep();
      return;
    }
    nextMs = timetable.next(nowMs);
    sleep();
    run(clock.now());
  }

  sleep();
  return {
    get nextMs() {
      return nextMs === undefined ? undefined : nextMs - time() + clock.now();
    },
    [Symbol.dispose]: () => {
      nextMs = undefined;
      timer?.[Symbol.dispose]();
    },
  };
}
