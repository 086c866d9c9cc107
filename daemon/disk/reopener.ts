/** The part of a clock that sets timers. */
interface Timers {
  after(delayMs: number, task: () => void): Disposable;
}

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;

/** Runs a task, such as reopening a database, and repeats it until it succeeds. The delays double up to a maximum. */
export class Reopener implements Disposable {
  readonly #attempt: () => Promise<void>;
  readonly #clock: Timers;
  readonly #longestRetryMs: number;
  #delayMs = FIRST_RETRY_MS;
  #timer: Disposable | undefined;
  #isRunning = false;
  #isDisposed = false;

  /** @param attempt the task; it throws if it must be repeated */
  constructor(attempt: () => Promise<void>, clock: Timers, longestRetryMs = LONGEST_RETRY_MS) {
    this.#attempt = attempt;
    this.#clock = clock;
    this.#longestRetryMs = longestRetryMs;
  }

  /** Starts the attempts, unless they are running already. */
  start(): void {
    if (this.#isRunning || this.#isDisposed) return;
    this.#isRunning = true;
    this.#delayMs = FIRST_RETRY_MS;
    void this.#try();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #try(): Promise<void> {
    try {
      await this.#attempt();
      this.#isRunning = false;
    } catch {
      if (this.#isDisposed) return;
      this.#timer = this.#clock.after(this.#delayMs, () => void this.#try());
      this.#delayMs = Math.min(this.#longestRetryMs, 2 * this.#delayMs);
    }
  }
}
