/** Time for the feed: the backend's `Clock` port will do, and so will a manual one. */
export interface FeedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `task` once after `delayMs`, unless it is disposed of before. */
  after(delayMs: number, task: () => void): Disposable;
}

export const systemFeedClock: FeedClock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
