import type { Log } from './log.ts';

const EVERY_MS = 60_000;

/** Something that may happen thousands of times a second and is told at once, then at most once a minute. */
export class Burst {
  readonly #clock: { monotonic(): number };
  #toldMs = -Infinity;
  #untold = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** It happened. Calls `tell` with how often since it was told last, when it is time. */
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

/** The same, told in the log. */
export class Seldom {
  readonly #log: Log;
  readonly #burst: Burst;

  constructor(log: Log, clock: { monotonic(): number }) {
    this.#log = log;
    this.#burst = new Burst(clock);
  }

  /** @param fields of the record, made only when it is written; `count`: since the last one */
  warn(fields: () => object, message: string): void {
    this.#burst.note((count) => this.#log.warn({ ...fields(), count }, message));
  }
}
