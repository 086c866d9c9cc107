import type { Clock } from '../../daemon/backend/ports.ts';

interface Timer {
  dueMs: number;
  /** Undefined: runs once. */
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  /** Epoch milliseconds of a clock that was never moved, unless its test says otherwise: 2026-01-01T00:00:00Z. */
  static readonly START_MS = Date.UTC(2026, 0, 1);

  readonly #startMs: number;
  #elapsedMs = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = ManualClock.START_MS) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
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
