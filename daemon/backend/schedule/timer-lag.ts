import type { Clock } from '../ports.ts';

const PERIOD_MS = 1000;
/** How far back the worst one is looked for. */
const REMEMBERED = 60;

/** How late timers come, because something kept the process from looking at them. */
export class TimerLag implements Disposable {
  readonly #samples: number[] = [];
  readonly #timer: Disposable;

  constructor(clock: Clock) {
    let dueMs = clock.monotonic() + PERIOD_MS;
    this.#timer = clock.every(PERIOD_MS, () => {
      const nowMs = clock.monotonic();
      this.#samples.push(Math.max(0, nowMs - dueMs));
      if (this.#samples.length > REMEMBERED) this.#samples.shift();
      // From now and not from when it was due: one delay counts once.
      dueMs = nowMs + PERIOD_MS;
    });
  }

  /** The worst of the last minute, in milliseconds. */
  get worstMs(): number {
    return Math.max(0, ...this.#samples);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
