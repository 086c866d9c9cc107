/** The clock and timers of a feed client. The backend's `Clock` and the clocks of tests implement it too. */
export interface FeedClock {
  /** Returns the current time in epoch milliseconds. */
  now(): number;
  /** Calls `task` once after `delayMs`, unless the returned object is disposed first. */
  after(delayMs: number, task: () => void): Disposable;
}

export const systemFeedClock: FeedClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
