/** The time source of the program. Tests use a fake one. */
export interface Clock {
  /**
   * Returns the program's own time in epoch milliseconds. It does not jump when the system clock of the host is set. If
   * the program adopts that jump later, all planned times are shifted by it (docs/operations.md, Time).
   */
  now(): number;
  /** Returns the milliseconds of the monotonic clock, for measuring intervals. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
  /** Calls `task` every `periodMs`, first after one period. */
  every(periodMs: number, task: () => void): Disposable;
}

/** A clock with which times in the future can be planned. */
export interface PlanningClock extends Clock {
  /**
   * Returns `now` without the adopted clock corrections. It never goes back, and never jumps when the system clock is
   * set.
   */
  steady(): number;
}
