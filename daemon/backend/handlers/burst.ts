import type { Clock } from '../ports.ts';

const PERIOD_MS = 60_000;

/** Something that may happen thousands of times a second and is told at once, then at most once a minute. */
export class Burst {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #untold = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** It happened. Calls `tell` with how often since it was told last, when it is time. */
  note(tell: (count: number) => void): void {
    this.#untold++;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#toldAtMs < PERIOD_MS) return;
    this.#toldAtMs = nowMs;
    const count = this.#untold;
    this.#untold = 0;
    tell(count);
  }
}
