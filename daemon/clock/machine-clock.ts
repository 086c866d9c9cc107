/** How long the system runs, time asleep included. */
export interface BootTime {
  /** Another one after each start of the system; empty: not known. */
  readonly id: string;
  readonly ms: number;
}

/** The clocks of a machine, of which somebody may set one. */
export interface MachineClock {
  /** Epoch milliseconds, as the machine is set: wrong at times, and set right. */
  now(): number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
  /** Undefined: there is no way to tell. */
  boot?(): BootTime | undefined;
  after(delayMs: number, task: () => void): Disposable;
  every(periodMs: number, task: () => void): Disposable;
}
