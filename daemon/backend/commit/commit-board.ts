import type { ChangeRecord } from '../ports.ts';
import type { Outcome } from './transaction.ts';

/** One batch that the store has taken. */
export interface Commit extends ChangeRecord, Pick<Outcome, 'jobs' | 'handlingNotes'> {
  readonly results: number;
  /** Of a batch of this process, in milliseconds; undefined: it was written beside, or by another backend. */
  readonly times:
    | {
        /** From its first command to the synced write. */
        readonly durationMs: number;
        /** The synced write alone. */
        readonly writeMs: number;
      }
    | undefined;
}

/**
 * Where everybody in this process hears of commits: in the order of the store, while memory equals it, and before those
 * who asked for a change get their answer. Of the writes of other processes `Store.watch` tells, and nobody else.
 */
export class CommitBoard {
  /** Results that were told of so far, whichever backend committed them. */
  results = 0;
  readonly #commitListeners = new Set<(commit: Commit) => void>();
  readonly #restListeners = new Set<() => void>();

  /** Calls `listener` for every batch that was written; who came first hears of it first. */
  onCommit(listener: (commit: Commit) => void): Disposable {
    this.#commitListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#commitListeners.delete(listener) };
  }

  /** Calls `listener` when a batch is over, in whatever way, while memory equals the store. */
  onRest(listener: () => void): Disposable {
    this.#restListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#restListeners.delete(listener) };
  }

  tell(commit: Commit): void {
    this.results += commit.results;
    for (const listener of this.#commitListeners) tellOne(listener, commit);
  }

  tellRest(): void {
    for (const listener of this.#restListeners) tellOne(listener, undefined);
  }
}

/** What was written is written: a listener that throws is a defect of its own. */
function tellOne<Told>(listener: (told: Told) => void, told: Told): void {
  try {
    listener(told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
