import { performance } from 'node:perf_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * Default maximum duration of a chunk in milliseconds. A chunk is the work between two pauses for the event loop. It is
 * shorter than the time for which a write of results blocks the event loop anyway.
 */
const CHUNK_MS_MAX = 4;

/** Callbacks that resume the tasks waiting for their next chunk; the task that has waited longest is first. */
const waitingTasks: (() => void)[] = [];
let isResuming = false;
/**
 * The number of the event loop iteration in which `share` or `shareFirst` last began a new chunk; -1 before the first
 * chunk.
 */
let lastChunkRound = -1;

/**
 * Divides long work into chunks, so that no chunk blocks the event loop for long. A chunk ends after a time and not
 * after a number of items, because sending a cached list is ten times as fast as reading a list. Among the tasks that
 * wait in `share`, one begins a chunk in each iteration of the event loop. So a hundred concurrent lists take longer
 * than one list, but do not block the event loop for longer. No wait is needed if the event loop has iterated since the
 * chunk began, for example while a response waited for the store.
 */
export class TimeSlice {
  readonly #nowMs: () => number;
  readonly #chunkMsMax: number;
  #loopCount = loopCount();
  #sinceMs: number;

  /**
   * @param nowMs callback that reads a monotonic clock, in milliseconds
   * @param chunkMsMax maximum duration of a chunk, in milliseconds
   */
  constructor(nowMs = () => performance.now(), chunkMsMax = CHUNK_MS_MAX) {
    this.#nowMs = nowMs;
    this.#chunkMsMax = chunkMsMax;
    this.#sinceMs = nowMs();
  }

  /** True if the current chunk has used its time, so that the next call of `share` begins a new chunk. */
  get isDue(): boolean {
    return this.#nowMs() - this.#sinceMs >= this.#chunkMsMax;
  }

  /**
   * Begins a new chunk if the current chunk has used its time. It first waits for a later iteration of the event loop.
   * That is not necessary if the event loop has iterated since the current chunk began, and no other chunk has begun in
   * this iteration.
   */
  async share(): Promise<void> {
    if (!this.isDue) return;
    if (loopCount() === this.#loopCount || loopCount() === lastChunkRound) {
      await new Promise<void>((resolve) => {
        waitingTasks.push(resolve);
        if (!isResuming) void resumeAll();
      });
    }
    this.#begin();
  }

  /**
   * Begins a new chunk like `share`, but in the next iteration of the event loop, ahead of other waiting tasks. It is
   * for the writer of the store, for which many callers wait.
   */
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

/** Maximum time for starting tasks in one iteration of the event loop, in milliseconds. */
const STARTS_MS_MAX = 8;

/** Starts tasks in the order of arrival, and limits the time that this takes in one iteration of the event loop. */
class PacedStarts {
  #waiting: (() => void)[] = [];
  #isStarting = false;
  #round = -1;
  #sinceMs = 0;

  /**
   * Starts a task now, or in a later iteration of the event loop if earlier tasks are waiting or have used the time of
   * this iteration.
   */
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
        // Waits for the promise callbacks of the task that are ready now, so that their time counts as well.
        await Promise.resolve();
      }
    }
    this.#isStarting = false;
  }
}

const pacedStarts = new PacedStarts();

/**
 * Starts a task now or soon, for tasks that can arrive in large numbers, such as a request on each of a thousand
 * connections. Tasks start in the order of arrival. The task must not throw.
 */
export function startPaced(task: () => void): void {
  pacedStarts.start(task);
}

/** Minimum number of entries of a large batch. A smaller batch is built in a few milliseconds. */
const LARGE_BATCH = 2000;

/** Maximum time in milliseconds for which one chunk of building a large batch blocks the event loop. */
const BATCH_CHUNK_MS_MAX = 15;

/** Returns the `TimeSlice` that divides the building of a large batch into chunks; undefined if the batch is small. */
export function batchSlice(records: number): TimeSlice | undefined {
  return records < LARGE_BATCH ? undefined : new TimeSlice(undefined, BATCH_CHUNK_MS_MAX);
}

/** Runs all steps of a synchronous generator in chunks, and returns its result. */
export async function runInChunks<Result>(steps: Generator<void, Result, undefined>): Promise<Result> {
  const timeSlice = new TimeSlice();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (timeSlice.isDue) await timeSlice.share();
  }
}

/** Resumes the tasks that wait for a chunk, one in each iteration of the event loop. Never rejects. */
async function resumeAll(): Promise<void> {
  isResuming = true;
  while (waitingTasks.length > 0) {
    await nextRound();
    waitingTasks.shift()?.();
  }
  isResuming = false;
}

/**
 * Resolves in the next iteration of the event loop. One `yieldToEventLoop` is not always enough: called while sockets
 * are read, it resolves in the same iteration.
 */
async function nextRound(): Promise<void> {
  const before = loopCount();
  while (loopCount() === before) await yieldToEventLoop();
}

/** Returns the number of iterations of the event loop since the process started. */
function loopCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
