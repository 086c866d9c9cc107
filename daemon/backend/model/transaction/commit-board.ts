import type { ChangeRecord } from '../../ports.ts';
import type { Outcome } from './transaction.ts';

/** One batch that the store has committed. */
export interface Commit extends ChangeRecord, Pick<Outcome, 'jobs' | 'handlingNotes'> {
  readonly results: number;
  /**
   * Durations of a batch of this process, in milliseconds; undefined: it was written directly to the store, or by
   * another backend.
   */
  readonly times:
    | {
        /** Time from its first command to the synced write. */
        readonly durationMs: number;
        /** Time of the synced write alone. */
        readonly writeMs: number;
      }
    | undefined;
}

/**
 * Announces commits to all listeners in this process: in the order of the store, while memory equals it, and before the
 * callers get their response. Only `Store.watch` reports the writes of other processes.
 */
export class CommitBoard {
  /** Number of results announced so far, whichever backend committed them. */
  results = 0;
  readonly #commitListeners = new Set<(commit: Commit) => void>();
  readonly #idleListeners = new Set<() => void>();

  /** Calls `listener` for every committed batch, in the order of registration. */
  onCommit(listener: (commit: Commit) => void): Disposable {
    this.#commitListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#commitListeners.delete(listener) };
  }

  /** Calls `listener` at the end of a batch, committed or not, while memory equals the store. */
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

/** Calls one listener. The write is done already, so an error of the listener is a separate defect. */
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
