import type { PlanningClock } from '../../daemon/backend/ports.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';

/** A clock whose time a callback returns; its timers run in real time. */
export class CallbackClock implements PlanningClock {
  readonly #timers = new SystemClock();
  readonly #timeMs: () => number;

  /**
   * Creates the clock.
   *
   * @param timeMs callback that returns the time in epoch milliseconds; the time must never go back
   */
  constructor(timeMs: () => number) {
    this.#timeMs = timeMs;
  }

  now(): number {
    return this.#timeMs();
  }

  steady(): number {
    return this.#timeMs();
  }

  monotonic(): number {
    return this.#timeMs();
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#timers.after(delayMs, task);
  }

  every(periodMs: number, task: () => void): Disposable {
    return this.#timers.every(periodMs, task);
  }
}
