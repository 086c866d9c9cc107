/** The clock of the feed; the backend's `Clock` port and manual clocks implement it too. */
export interface FeedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `task` once after `delayMs`, unless it is disposed before. */
  after(delayMs: number, task: () => void): Disposable;
}

export const systemFeedClock: FeedClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
