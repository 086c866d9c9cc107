import type { PlanningClock } from '../../daemon/backend/ports.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/** A clock whose time a callback returns; its timers run in real time. */
export class CallbackClock implements PlanningClock {
  readonly #timers = new SystemClock();
  readonly #toldMs: () => number;

  /**
   * Creates the clock.
   *
   * @param toldMs callback that returns the time in epoch milliseconds; the time must never go back
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
