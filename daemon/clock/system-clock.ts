/** Node's timers run at once when they are asked to wait longer than 2^31 - 1 ms, so a long wait is cut into these. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * The machine's time, but for steps back: then `now` stands still until the machine has caught up. It is the `Clock` in
 * the ports of both daemons.
 */
export class SystemClock {
  readonly #wallMs: () => number;
  #latestMs = Number.NEGATIVE_INFINITY;

  /** @param wallMs the machine's clock, epoch milliseconds */
  constructor(wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
  }

  now(): number {
    this.#latestMs = Math.max(this.#latestMs, this.#wallMs());
    return this.#latestMs;
  }

  monotonic(): number {
    return performance.now();
  }

  after(delayMs: number, task: () => void): Disposable {
    let timer: NodeJS.Timeout;
    const wait = (restMs: number): void => {
      const stepMs = Math.min(restMs, LONGEST_WAIT_MS);
      timer = setTimeout(() => (restMs > stepMs ? wait(restMs - stepMs) : task()), stepMs);
    };
    wait(delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  /** @param periodMs at most 2^31 - 1 */
  every(periodMs: number, task: () => void): Disposable {
    const timer = setInterval(task, periodMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }
}
