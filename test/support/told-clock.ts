import type { PlanningClock } from '../../daemon/backend/ports.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/** A clock whose time a test sets; waits are real. */
export class ToldClock implements PlanningClock {
  readonly #timers = new SystemClock();
  readonly #toldMs: () => number;

  /**
   * Creates the clock.
   *
   * @param toldMs returns epoch milliseconds, which never go back
   */
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
