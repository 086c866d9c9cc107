import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long an answer may hold the event loop at a time: less than what a write of results takes anyway. */
const HELD_MS_MAX = 4;

/** Resumes each piece of work that waits for its next chunk, in the order in which they asked. */
const waiting: (() => void)[] = [];
let isResuming = false;
/** The round of the event loop in which the last chunk began. */
let lastChunkRound = -1;

/**
 * Divides long work into chunks, so that no chunk holds the event loop for long. A chunk ends by time and not by what
 * was done, because a list that was kept is told ten times as fast as one that has to be read; and while an answer
 * waits for the store or for its reader, the loop goes round by itself. In each round of the loop one chunk begins: a
 * hundred lists at once take longer, and hold the loop no longer than one.
 */
export class LoopTurn {
  readonly #nowMs: () => number;
  readonly #heldMsMax: number;
  #loopCount = loopCount();
  #sinceMs: number;

  /**
   * @param nowMs on a monotonic clock
   * @param heldMsMax how long a chunk may take
   */
  constructor(nowMs = () => performance.now(), heldMsMax = HELD_MS_MAX) {
    this.#nowMs = nowMs;
    this.#heldMsMax = heldMsMax;
    this.#sinceMs = nowMs();
  }

  /** Whether the chunk has taken its time, and `share` would wait. */
  get isDue(): boolean {
    return this.#nowMs() - this.#sinceMs >= this.#heldMsMax;
  }

  /** Waits if the chunk has taken its time. A call costs next to nothing as long as it has not. */
  async share(): Promise<void> {
    if (!this.isDue) return;
    if (loopCount() === this.#loopCount || loopCount() === lastChunkRound) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (!isResuming) void resumeAll();
      });
    }
    this.#begin();
  }

  /** Like `share`, but does not queue up behind the chunks of others: for the one writer that many wait for. */
  async shareFirst(): Promise<void> {
    if (!this.isDue) return;
    await nextRound();
    this.#begin();
  }

  #begin(): void {
    lastChunkRound = this.#loopCount = loopCount();
    this.#sinceMs = this.#nowMs();
  }
}

/** Runs synchronous steps to their end, in chunks. */
export async function inChunks<Result>(steps: Generator<void, Result, undefined>): Promise<Result> {
  const turn = new LoopTurn();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turn.isDue) await turn.share();
  }
}

/** Never rejects. */
async function resumeAll(): Promise<void> {
  isResuming = true;
  while (waiting.length > 0) {
    await nextRound();
    waiting.shift()?.();
  }
  isResuming = false;
}

/** Resolves when sockets were read: what is put off while they are read would come in the same round. */
async function nextRound(): Promise<void> {
  const before = loopCount();
  while (loopCount() === before) await nextTurn();
}

/** The number of iterations of the event loop since the start. */
function loopCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
