import type { Log } from './log.ts';

const EVERY_MS = 60_000;

/**
 * Limits the reports of something that may happen thousands of times per second: the first one is reported at once, the
 * others at most once per minute.
 */
export class Burst {
  readonly #clock: { monotonic(): number };
  #toldMs = -Infinity;
  #untold = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** Counts one occurrence. If a report is due, calls `tell` with the number of occurrences since the last one. */
  note(tell: (count: number) => void): void {
    this.#untold++;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#toldMs < EVERY_MS) return;
    this.#toldMs = nowMs;
    const count = this.#untold;
    this.#untold = 0;
    tell(count);
  }
}

/** Logs a warning as `Burst` does: at once, then at most once per minute. */
export class Seldom {
  readonly #log: Log;
  readonly #burst: Burst;

  constructor(log: Log, clock: { monotonic(): number }) {
    this.#log = log;
    this.#burst = new Burst(clock);
  }

  /**
   * @param fields returns the fields of the record; only called if it is written. `count` is the number of occurrences
   *   since the last record
   */
  warn(fields: () => object, message: string): void {
    this.#burst.note((count) => this.#log.warn({ ...fields(), count }, message));
  }
}
