import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** Number of recent measurements among which the longest timer lag is looked for. */
const SAMPLES_MAX = 60;

/** Measures how late timers fire because other work blocked the event loop. */
export class TimerLag implements Disposable {
  readonly #samples: number[] = [];
  readonly #timer: Disposable;

  constructor(clock: Clock) {
    let dueMs = clock.monotonic() + PERIOD_MS;
    this.#timer = clock.every(PERIOD_MS, () => {
      const nowMs = clock.monotonic();
      this.#samples.push(Math.max(0, nowMs - dueMs));
      if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
      // The next due time is one period from now, not from the last due time, so that one delay is measured only once.
      dueMs = nowMs + PERIOD_MS;
    });
  }

  /** The longest timer lag of the last minute, in milliseconds. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
