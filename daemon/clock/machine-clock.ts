/** The uptime of the host since its last boot, including the time that it slept. */
export interface BootTime {
  /** Id of this boot; empty if unknown. */
  readonly id: string;
  readonly ms: number;
}

/** The clocks of the host. Its wall clock can be set at any time. */
export interface MachineClock {
  /** Returns epoch milliseconds of the wall clock, which can be wrong and jumps when it is set. */
  now(): number;
  /** Returns the milliseconds of a clock that cannot be set. */
  monotonic(): number;
  /** Returns the uptime of the host; undefined if unknown. */
  boot?(): BootTime | undefined;
  after(delayMs: number, task: () => void): Disposable;
  every(periodMs: number, task: () => void): Disposable;
}
