import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../daemon/backend/ports.ts';
import { CallbackClock } from '../support/callback-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** The time of a replay, which follows the times in the recording. */
export interface RecordedTime {
  readonly clock: Clock;
  /** Advances the time to this moment in epoch milliseconds, unless the time is already later. */
  reach(ms: number): Promise<void>;
}

/**
 * Returns a time for scenarios that only contain requests: the clock jumps to the recorded times, and timers use the
 * real time.
 */
export function jumpingTime(startMs: number): RecordedTime {
  let nowMs = startMs;
  return {
    clock: new CallbackClock(() => nowMs),
    reach(ms) {
      nowMs = Math.max(nowMs, ms);
      return Promise.resolve();
    },
  };
}

/** Number of consecutive polls that must find the backend idle. */
const RESTS = 3;

/**
 * Returns a time for scenarios with timers: the clock advances second by second, and waits after each second until all
 * of its consequences are stored.
 *
 * @param isAtRest returns whether the backend has stored everything that was sent to it
 */
export function passingTime(startMs: number, isAtRest: () => Promise<boolean>): RecordedTime {
  const clock = new ManualClock(startMs);
  return {
    clock,
    async reach(ms) {
      while (clock.now() < ms) {
        clock.advance(Math.min(1000, ms - clock.now()));
        // Between two writes of one sweep, the backend may be reading while its queue is empty, so a single poll is not
        // enough.
        for (let rests = 0; rests < RESTS; rests = (await isAtRest()) ? rests + 1 : 0) await pause(1);
      }
    },
  };
}
