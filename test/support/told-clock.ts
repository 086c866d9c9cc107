import type { PlanningClock } from '../../daemon/backend/ports.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/** The time that a test tells; what waits for a while waits for real. */
export class ToldClock implements PlanningClock {
  readonly #timers = new SystemClock();
  readonly #toldMs: () => number;

  /** @param toldMs epoch milliseconds, which never go back */
  constructor(toldMs: () => number) {
    this.#toldMs = toldMs;
  }

  now(): number {
    return this.#toldMs();
  }

  steady(): number {
    return this.#toldMs();
  }

  monotonic(): number {
    return this.#toldMs();
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#timers.after(delayMs, task);
  }

  every(periodMs: number, task: () => void): Disposable {
    return this.#timers.every(periodMs, task);
  }
}
