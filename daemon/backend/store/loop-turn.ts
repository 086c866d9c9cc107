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

/** How long tasks may be started in one round of the event loop. */
const STARTS_MS_MAX = 8;

/** Starts tasks in their order, and so many in each round of the event loop that the round stays short. */
class PacedStarts {
  #waiting: (() => void)[] = [];
  #isStarting = false;
  #round = -1;
  #sinceMs = 0;

  /** Starts a task now, or in a later round if those before it have taken the time of this one. */
  start(task: () => void): void {
    if (!this.#isStarting && this.#hasTime()) {
      task();
      return;
    }
    this.#waiting.push(task);
    if (!this.#isStarting) void this.#startWaiting();
  }

  #hasTime(): boolean {
    const nowMs = performance.now();
    const round = loopCount();
    if (round === this.#round) return nowMs - this.#sinceMs < STARTS_MS_MAX;
    this.#round = round;
    this.#sinceMs = nowMs;
    return true;
  }

  async #startWaiting(): Promise<void> {
    this.#isStarting = true;
    while (this.#waiting.length > 0) {
      const tasks = this.#waiting;
      this.#waiting = [];
      for (const task of tasks) {
        while (!this.#hasTime()) await nextRound();
        task();
        // What the task goes on with at once counts as well.
        await Promise.resolve();
      }
    }
    this.#isStarting = false;
  }
}

const starts = new PacedStarts();

/**
 * Starts a task of which many may come in one round of the event loop, such as a request on each of a thousand
 * connections: in its turn, behind those that came before. The task must not throw.
 */
export function startPaced(task: () => void): void {
  starts.start(task);
}

/** Batches of fewer records are made in a few milliseconds. */
const LARGE_BATCH = 2000;

/** How long a part of a large batch may hold the event loop. */
const BATCH_CHUNK_MS_MAX = 15;

/** Divides the making of a large batch of records into chunks; undefined: the batch is small. */
export function batchTurn(records: number): LoopTurn | undefined {
  return records < LARGE_BATCH ? undefined : new LoopTurn(undefined, BATCH_CHUNK_MS_MAX);
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
