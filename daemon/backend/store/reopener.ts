import type { Clock } from '../ports.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;

/** Tries at once, and then again and again, with pauses that grow up to a second, until it works. */
export class Reopener implements Disposable {
  readonly #attempt: () => Promise<void>;
  readonly #clock: Pick<Clock, 'after'>;
  #delayMs = FIRST_RETRY_MS;
  #timer: Disposable | undefined;
  #isRunning = false;
  #isDisposed = false;

  /** @param attempt throws when it has to be made again */
  constructor(attempt: () => Promise<void>, clock: Pick<Clock, 'after'>) {
    this.#attempt = attempt;
    this.#clock = clock;
  }

  /** Begins, unless it is at it already. */
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
      this.#delayMs = Math.min(LONGEST_RETRY_MS, 2 * this.#delayMs);
    }
  }
}
