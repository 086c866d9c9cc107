/** The time source, which tests replace. */
export interface Clock {
  /**
   * Returns epoch milliseconds. It does not follow a jump of the machine's clock. If a jump is adopted later, all
   * planned times are shifted by it (docs/operations.md, Time).
   */
  now(): number;
  /** Returns the milliseconds of a clock that only measures intervals. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
  /** Calls `task` every `periodMs`, first after one period. */
  every(periodMs: number, task: () => void): Disposable;
}

/** A clock with which times in the future can be planned. */
export interface PlanningClock extends Clock {
  /** Returns `now` without adopted clock jumps: it never goes back and never jumps. */
  steady(): number;
}
