import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../daemon/backend/ports.ts';
import { ToldClock } from '../support/told-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** The time of a recording, which advances when its lines say so. */
export interface RecordedTime {
  readonly clock: Clock;
  /** Advances the time to this moment in epoch milliseconds, unless it is later already. */
  reach(ms: number): Promise<void>;
}

/** Returns a time for scenarios of requests: it jumps to the times of the recording, and timers use the real time. */
export function jumpingTime(startMs: number): RecordedTime {
  let nowMs = startMs;
  return {
    clock: new ToldClock(() => nowMs),
    reach(ms) {
      nowMs = Math.max(nowMs, ms);
      return Promise.resolve();
    },
  };
}

/** Number of consecutive checks that must find the backend idle. */
const RESTS = 3;

/**
 * Returns a time for scenarios with timers: it advances second by second, and waits for all consequences of each
 * second.
 *
 * @param isAtRest whether the backend has stored everything that was sent
 */
export function passingTime(startMs: number, isAtRest: () => Promise<boolean>): RecordedTime {
  const clock = new ManualClock(startMs);
  return {
    clock,
    async reach(ms) {
      while (clock.now() < ms) {
        clock.advance(Math.min(1000, ms - clock.now()));
        // Between two writes of one sweep the backend may read while its queue is empty.
        for (let rests = 0; rests < RESTS; rests = (await isAtRest()) ? rests + 1 : 0) await pause(1);
      }
    },
  };
}
