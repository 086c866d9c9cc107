import type { PlanningClock } from '../../daemon/backend/ports.ts';
import type { BootTime, MachineClock } from '../../daemon/clock/machine-clock.ts';

interface Timer {
  dueMs: number;
  /** Order among timers that are due at the same time: the lower rank runs first. */
  rank: number;
  /** The period in milliseconds; `undefined` if the timer runs once. */
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

/** A clock that stands still until a test advances it. */
export class ManualClock implements PlanningClock, MachineClock {
  /** Default start time in epoch milliseconds: 2026-01-01T00:00:00Z. */
  static readonly START_MS = Date.UTC(2026, 0, 1);

  readonly #startMs: number;
  #elapsedMs = 0;
  #setMs = 0;
  /** Total time in milliseconds that the machine was asleep; `monotonic` and the timers do not include it. */
  sleptMs = 0;
  /** Boot id of the machine; `undefined` if the machine provides none. */
  bootId: string | undefined;
  readonly #timers = new TimerQueue();
  #lastRank = 0;

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

  /** Moves the wall clock forward or back by `byMs`. The monotonic time is unaffected. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#start(this.#elapsedMs + Math.max(0, delayMs), undefined, task);
  }

  every(periodMs: number, task: () => void): Disposable {
    // Real timers run at most once per millisecond too.
    const atLeast = Math.max(1, periodMs);
    return this.#start(this.#elapsedMs + atLeast, atLeast, task);
  }

  /** Puts the machine to sleep for `ms`: the wall clock advances, and the timers do not. */
  sleep(ms: number): void {
    this.#setMs += ms;
    this.sleptMs += ms;
  }

  /**
   * Advances the clock and runs the timers that become due, including those that are started meanwhile. Each timer runs
   * at its own time; timers with the same time run in the order of their creation.
   */
  advance(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (let timer = this.#timers.first; timer !== undefined && timer.dueMs <= endMs; timer = this.#timers.first) {
      this.#elapsedMs = timer.dueMs;
      // The next run of a periodic timer comes after the other timers that are due at its time.
      this.#timers.delete(timer);
      if (timer.periodMs !== undefined) {
        timer.dueMs += timer.periodMs;
        timer.rank = ++this.#lastRank;
        this.#timers.add(timer);
      }
      timer.task();
    }
    this.#elapsedMs = endMs;
  }

  /** Number of pending timers; 0 if all timers have run or were disposed of. */
  get pending(): number {
    return this.#timers.size;
  }

  #start(dueMs: number, periodMs: number | undefined, task: () => void): Disposable {
    const timer: Timer = { dueMs, rank: ++this.#lastRank, periodMs, task };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => this.#timers.delete(timer) };
  }
}

/** A queue of timers in the order in which they are due. */
class TimerQueue {
  readonly #sorted: Timer[] = [];

  get size(): number {
    return this.#sorted.length;
  }

  get first(): Timer | undefined {
    return this.#sorted[0];
  }

  add(timer: Timer): void {
    this.#sorted.splice(this.#placeOf(timer), 0, timer);
  }

  delete(timer: Timer): void {
    const at = this.#placeOf(timer);
    if (this.#sorted[at] === timer) this.#sorted.splice(at, 1);
  }

  /** Returns the index of the first timer that is not due before this one. */
  #placeOf({ dueMs, rank }: Timer): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#sorted[middle];
      if (other !== undefined && (other.dueMs < dueMs || (other.dueMs === dueMs && other.rank < rank)))
        low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
