import { performance } from 'node:perf_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Maximum time that a response may block the event loop at a time: less than a write of results takes anyway. */
const CHUNK_MS_MAX = 4;

/** Resumes the tasks that wait for their next chunk, in the order of their requests. */
const waiting: (() => void)[] = [];
let isResuming = false;
/** The iteration of the event loop in which the last chunk began. */
let lastChunkRound = -1;

/**
 * Divides long work into chunks, so that no chunk blocks the event loop for long. A chunk ends by time and not by
 * amount, because a cached list is sent ten times as fast as one that must be read. While a response waits for the
 * store or its reader, the event loop iterates anyway. In each iteration of the loop one chunk begins. A hundred lists
 * at once take longer, and block the loop no longer than one.
 */
export class TimeSlice {
  readonly #nowMs: () => number;
  readonly #chunkMsMax: number;
  #loopCount = loopCount();
  #sinceMs: number;

  /**
   * @param nowMs reads a monotonic clock
   * @param chunkMsMax maximum duration of a chunk
   */
  constructor(nowMs = () => performance.now(), chunkMsMax = CHUNK_MS_MAX) {
    this.#nowMs = nowMs;
    this.#chunkMsMax = chunkMsMax;
    this.#sinceMs = nowMs();
  }

  /** True if the chunk has used its time, so that `share` would wait. */
  get isDue(): boolean {
    return this.#nowMs() - this.#sinceMs >= this.#chunkMsMax;
  }

  /** Waits if the chunk has used its time. Otherwise a call costs next to nothing. */
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

  /** Like `share`, but does not queue behind the chunks of others: for the one writer that many wait for. */
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

/** Maximum time to start tasks in one iteration of the event loop. */
const STARTS_MS_MAX = 8;

/** Starts tasks in order, and limits the number per iteration of the event loop so that the iteration stays short. */
class PacedStarts {
  #waiting: (() => void)[] = [];
  #isStarting = false;
  #round = -1;
  #sinceMs = 0;

  /** Starts a task now, or in a later iteration if earlier tasks have used the time of this one. */
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
        // Work that the task continues with at once counts as well.
        await Promise.resolve();
      }
    }
    this.#isStarting = false;
  }
}

const starts = new PacedStarts();

/**
 * Starts a task of a kind that may arrive in large numbers, such as a request on each of a thousand connections. Tasks
 * start in the order of arrival. The task must not throw.
 */
export function startPaced(task: () => void): void {
  starts.start(task);
}

/** Minimum number of records of a large batch. Smaller batches are built in a few milliseconds. */
const LARGE_BATCH = 2000;

/** Maximum time that a chunk of a large batch may block the event loop. */
const BATCH_CHUNK_MS_MAX = 15;

/** Divides the building of a large batch into chunks; undefined: the batch is small. */
export function batchSlice(records: number): TimeSlice | undefined {
  return records < LARGE_BATCH ? undefined : new TimeSlice(undefined, BATCH_CHUNK_MS_MAX);
}

/** Runs synchronous steps to their end, in chunks. */
export async function inChunks<Result>(steps: Generator<void, Result, undefined>): Promise<Result> {
  const timeSlice = new TimeSlice();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (timeSlice.isDue) await timeSlice.share();
  }
}

/** Resumes the waiting tasks, one in each iteration. Never rejects. */
async function resumeAll(): Promise<void> {
  isResuming = true;
  while (waiting.length > 0) {
    await nextRound();
    waiting.shift()?.();
  }
  isResuming = false;
}

/** Resolves after sockets were read: work deferred while they are read would run in the same iteration. */
async function nextRound(): Promise<void> {
  const before = loopCount();
  while (loopCount() === before) await yieldToEventLoop();
}

/** Returns the number of iterations of the event loop since the start. */
function loopCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
