import type { Timetable } from './timetable.ts';

/** A machine that slept and a clock that is set right go unnoticed for as long as one waits. */
const WAIT_MAX_MS = 60_000;

/** What is needed of a clock. */
interface Alarm {
  /** Epoch milliseconds. */
  now(): number;
  /** As `now`, without the corrections of the clock. */
  steady(): number;
  after(delayMs: number, task: () => void): Disposable;
}

export interface RunningTimetable extends Disposable {
  /** When it runs next, epoch milliseconds; undefined: never again. */
  readonly nextMs: number | undefined;
}

/**
 * Runs something at each moment of a timetable, until it is disposed. Moments that were missed (a machine that slept)
 * are made up for once.
 *
 * @param run is told the time, epoch milliseconds
 */
export function runTimetable(clock: Alarm, timetable: Timetable, run: (nowMs: number) => void): RunningTimetable {
  const time = (): number => (timetable.isByCalendar ? clock.now() : clock.steady());
  // A moment that is now counts as well.
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
    // Woken to look at the clock, or a moment early by the timer's own clock.
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
