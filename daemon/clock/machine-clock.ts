/** The uptime of the system, sleep included. */
export interface BootTime {
  /** The id of this boot of the system; empty: unknown. */
  readonly id: string;
  readonly ms: number;
}

/** The clocks of a machine; its wall clock may be set at any time. */
export interface MachineClock {
  /** Returns epoch milliseconds of the wall clock, which may be wrong and be corrected. */
  now(): number;
  /** Returns the milliseconds of a clock that cannot be set. */
  monotonic(): number;
  /** Returns the uptime; undefined: unknown. */
  boot?(): BootTime | undefined;
  after(delayMs: number, task: () => void): Disposable;
  every(periodMs: number, task: () => void): Disposable;
}
