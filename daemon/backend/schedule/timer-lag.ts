import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** Number of samples among which the worst one is found. */
const REMEMBERED = 60;

/** Measures how late timers fire because the process was blocked. */
export class TimerLag implements Disposable {
  readonly #samples: number[] = [];
  readonly #timer: Disposable;

  constructor(clock: Clock) {
    let dueMs = clock.monotonic() + PERIOD_MS;
    this.#timer = clock.every(PERIOD_MS, () => {
      const nowMs = clock.monotonic();
      this.#samples.push(Math.max(0, nowMs - dueMs));
      if (this.#samples.length > REMEMBERED) this.#samples.shift();
      // Counted from now and not from the due time, so that one delay counts once.
      dueMs = nowMs + PERIOD_MS;
    });
  }

  /** The worst lag of the last minute, in milliseconds. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
