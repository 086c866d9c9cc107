import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../daemon/backend/ports.ts';
import { ToldClock } from '../support/told-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** The time of a recording, which goes on when its lines say so. */
export interface RecordedTime {
  readonly clock: Clock;
  /** Lets time go on to this moment, epoch milliseconds, if it is not later already. */
  reach(ms: number): Promise<void>;
}

/** For what happens at requests: the time is that of the recording, and what waits for a while waits for real. */
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

/** Looks in a row that find nothing to be done. */
const RESTS = 3;

/**
 * For what happens by the clock: second by second, each with all its consequences before the next.
 *
 * @param isAtRest whether the backend has stored all that it was told
 */
export function passingTime(startMs: number, isAtRest: () => Promise<boolean>): RecordedTime {
  const clock = new ManualClock(startMs);
  return {
    clock,
    async reach(ms) {
      while (clock.now() < ms) {
        clock.advance(Math.min(1000, ms - clock.now()));
        // Between two writes of one sweep it may read, and has nothing in its queue.
        for (let rests = 0; rests < RESTS; rests = (await isAtRest()) ? rests + 1 : 0) await pause(1);
      }
    },
  };
}
