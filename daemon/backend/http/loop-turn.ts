import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long an answer may hold the event loop at a time: less than what a write of results takes anyway. */
const HELD_MS_MAX = 4;

/**
 * Lets others have their turn when the work on an answer has held the event loop for long. By time and not by what was done,
 * because a list that was kept is told ten times as fast as one that has to be read; and while an answer waits for the store
 * or for its reader, the loop goes round by itself.
 */
export class LoopTurn {
  readonly #nowMs: () => number;
  #loopCount = loopCount();
  #sinceMs: number;

  /** @param nowMs on a monotonic clock */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /** To be asked again and again: it costs next to nothing as long as there is no need. */
  async share(): Promise<void> {
    if (this.#nowMs() - this.#sinceMs < HELD_MS_MAX) return;
    // Put off while sockets are read, it would come in the same round.
    while (loopCount() === this.#loopCount) await nextTurn();
    this.#loopCount = loopCount();
    this.#sinceMs = this.#nowMs();
  }
}

/** How often the event loop has gone round. */
function loopCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
