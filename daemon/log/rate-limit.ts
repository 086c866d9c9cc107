import type { Log } from './log.ts';

const REPORT_INTERVAL_MS = 60_000;

/**
 * Limits how often an occurrence is reported that can happen thousands of times per second. The first one is reported
 * at once, the others together at most once per minute.
 */
export class ReportLimiter {
  readonly #clock: { monotonic(): number };
  #reportedMs = -Infinity;
  #unreportedCount = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** Counts one occurrence. If a report is due, calls `report` with the number of occurrences since the last one. */
  count(report: (count: number) => void): void {
    this.#unreportedCount++;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#reportedMs < REPORT_INTERVAL_MS) return;
    this.#reportedMs = nowMs;
    const count = this.#unreportedCount;
    this.#unreportedCount = 0;
    report(count);
  }
}

/** Logs a warning as `ReportLimiter` does: at once, then at most once per minute. */
export class RateLimitedLog {
  readonly #log: Log;
  readonly #burst: ReportLimiter;

  constructor(log: Log, clock: { monotonic(): number }) {
    this.#log = log;
    this.#burst = new ReportLimiter(clock);
  }

  /**
   * @param fields returns the fields of the record; only called if it is written. `count` is the number of occurrences
   *   since the last record
   */
  warn(fields: () => object, message: string): void {
    this.#burst.count((count) => this.#log.warn({ ...fields(), count }, message));
  }
}
