import type { Log } from './log.ts';

/** Tells of what may happen very often, at most once a minute and with how often it was. */
export class Seldom {
  readonly #log: Log;
  readonly #clock: { monotonic(): number };
  #toldMs = -Infinity;
  #untold = 0;

  constructor(log: Log, clock: { monotonic(): number }) {
    this.#log = log;
    this.#clock = clock;
  }

  /** @param fields of the record, made only when it is written; `count`: since the last one */
  warn(fields: () => object, message: string): void {
    this.#untold++;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#toldMs < EVERY_MS) return;
    this.#log.warn({ ...fields(), count: this.#untold }, message);
    this.#toldMs = nowMs;
    this.#untold = 0;
  }
}

const EVERY_MS = 60_000;
