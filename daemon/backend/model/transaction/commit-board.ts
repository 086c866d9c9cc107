import type { ChangeRecord } from '../../ports.ts';
import type { Outcome } from './transaction.ts';

/** A committed write to the store, as it is announced to listeners. */
export interface Commit extends ChangeRecord, Pick<Outcome, 'jobs' | 'handlingNotes'> {
  readonly results: number;
  /** Durations of the batch in milliseconds; undefined if the write was made without a batch, or by another backend. */
  readonly times:
    | {
        /** Time from the start of the batch to the end of its synced write. */
        readonly durationMs: number;
        /** Duration of the synced write alone. */
        readonly writeMs: number;
      }
    | undefined;
}

/**
 * Announces commits to all listeners in this process, in the order of their sequence numbers. A commit is announced
 * when the registry in memory contains it, and before the callers of its commands get a response. On a follower, the
 * commits of the leader are announced.
 */
export class CommitBoard {
  /** Number of results announced so far, including those that another backend committed. */
  results = 0;
  readonly #commitListeners = new Set<(commit: Commit) => void>();
  readonly #idleListeners = new Set<() => void>();

  /** Calls `listener` for every commit. Listeners are called in the order of their registration. */
  onCommit(listener: (commit: Commit) => void): Disposable {
    this.#commitListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#commitListeners.delete(listener) };
  }

  /**
   * Calls `listener` whenever the registry in memory equals the store again. That is after each batch, even a failed
   * one, and on a follower after it has applied writes of the leader.
   */
  onIdle(listener: () => void): Disposable {
    this.#idleListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#idleListeners.delete(listener) };
  }

  announce(commit: Commit): void {
    this.results += commit.results;
    for (const listener of this.#commitListeners) notifyListener(listener, commit);
  }

  announceIdle(): void {
    for (const listener of this.#idleListeners) notifyListener(listener, undefined);
  }
}

/**
 * Calls one listener. If it throws, the error is thrown again in a microtask, because the write is done already and the
 * other listeners must still be called.
 */
function notifyListener<Announcement>(
  listener: (announcement: Announcement) => void,
  announcement: Announcement,
): void {
  try {
    listener(announcement);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
