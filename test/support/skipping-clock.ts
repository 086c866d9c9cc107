import type { PlanningClock } from '../../daemon/backend/ports.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/** The clock of this machine, which a test can move forward; its timers run in real time. */
export class SkippingClock implements PlanningClock {
  readonly #clock = new SystemClock();
  #skippedMs = 0;

  skip(ms: number): void {
    this.#skippedMs += ms;
  }

  now(): number {
    return this.#clock.now() + this.#skippedMs;
  }

  steady(): number {
    return this.now();
  }

  monotonic(): number {
    return this.#clock.monotonic() + this.#skippedMs;
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#clock.after(delayMs, task);
  }

  every(periodMs: number, task: () => void): Disposable {
    return this.#clock.every(periodMs, task);
  }
}
