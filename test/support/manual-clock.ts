import type { PlanningClock } from '../../daemon/backend/ports.ts';
import type { BootTime, MachineClock } from '../../daemon/clock/machine-clock.ts';

interface Timer {
  dueMs: number;
  /** The order among timers that are due at the same time. */
  rank: number;
  /** The period in milliseconds; undefined: the timer runs once. */
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

/** A clock that only moves when a test advances it. */
export class ManualClock implements PlanningClock, MachineClock {
  /** Default start time in epoch milliseconds: 2026-01-01T00:00:00Z. */
  static readonly START_MS = Date.UTC(2026, 0, 1);

  readonly #startMs: number;
  #elapsedMs = 0;
  #setMs = 0;
  /** Time asleep, which timers and `monotonic` do not include. */
  sleptMs = 0;
  /** Boot id of the system; `undefined` if it has none. */
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

  /** Sets the wall clock forward or back, while the monotonic time continues. */
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
    // Real timers run at most every millisecond, too.
    const atLeast = Math.max(1, periodMs);
    return this.#start(this.#elapsedMs + atLeast, atLeast, task);
  }

  /** Lets the machine sleep, with its timers. */
  sleep(ms: number): void {
    this.#setMs += ms;
    this.sleptMs += ms;
  }

  /**
   * Advances the clock and runs due timers: in order of time, then of creation, each at its own time, including
   * timers that are started meanwhile.
   */
  advance(ms: number): void {
    const endMs = this.#elapsedMs + ms;
    for (let timer = this.#timers.first; timer !== undefined && timer.dueMs <= endMs; timer = this.#timers.first) {
      this.#elapsedMs = timer.dueMs;
      // A periodic timer is queued after those of the same time.
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

  /** Number of pending timers: 0 when everything was disposed. */
  get pending(): number {
    return this.#timers.size;
  }

  #start(dueMs: number, periodMs: number | undefined, task: () => void): Disposable {
    const timer: Timer = { dueMs, rank: ++this.#lastRank, periodMs, task };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => this.#timers.delete(timer) };
  }
}

/** Timers, the next one first. */
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

  /** Returns the index of the first timer that is not before this one. */
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
