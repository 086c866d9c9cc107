import type { PlanningClock } from '../../daemon/backend/ports.ts';
import type { BootTime, MachineClock } from '../../daemon/clock/machine-clock.ts';

interface Timer {
  dueMs: number;
  /** Undefined: runs once. */
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

/** Time that stands still until a test moves it. */
export class ManualClock implements PlanningClock, MachineClock {
  /** Epoch milliseconds of a clock that was never moved, unless its test says otherwise: 2026-01-01T00:00:00Z. */
  static readonly START_MS = Date.UTC(2026, 0, 1);

  readonly #startMs: number;
  #elapsedMs = 0;
  #setMs = 0;
  /** Which timers and `monotonic` know nothing of. */
  sleptMs = 0;
  /** Of the system; undefined: it does not tell for how long it runs. */
  bootId: string | undefined;
  readonly #timers = new Set<Timer>();

  constructor(startMs = ManualClock.START_MS) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs + this.#setMs;
  }

  steady(): number {
    return this.#startMs + this.#elapsedMs;
  }

  boot(): BootTime | undefined {
    return this.bootId === undefined ? undefined : { id: this.bootId, ms: this.#elapsedMs + this.sleptMs };
  }

  /** Sets the wall clock, forward or back, while time goes on as before. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#start({ dueMs: this.#elapsedMs + Math.max(0, delayMs), periodMs: undefined, task });
  }

  every(periodMs: number, task: () => void): Disposable {
    // As the real timers do, which never run more often than every millisecond.
    const atLeast = Math.max(1, periodMs);
    return this.#start({ dueMs: this.#elapsedMs + atLeast, periodMs: atLeast, task });
  }

  /** The machine sleeps, and its timers with it. */
  sleep(ms: number): void {
    this.#setMs += ms;
    this.sleptMs += ms;
  }

  /**
   * Moves time and runs what falls due on the way: in order of time, then of creation, each at its own time, timers that
   * are started meanwhile included.
   */
  advance(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (let timer = this.#next(endMs); timer !== undefined; timer = this.#next(endMs)) {
      this.#elapsedMs = timer.dueMs;
      // A timer that goes on queues up behind those of the same instant.
      this.#timers.delete(timer);
      if (timer.periodMs !== undefined) {
        timer.dueMs += timer.periodMs;
        this.#timers.add(timer);
      }
      timer.task();
    }
    this.#elapsedMs = endMs;
  }

  /** How many timers are waiting: 0 when everything was disposed. */
  get pending(): number {
    return this.#timers.size;
  }

  #start(timer: Timer): Disposable {
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  #next(endMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}
