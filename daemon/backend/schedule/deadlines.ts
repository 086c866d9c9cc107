import { BinaryHeap } from './binary-heap.ts';

/** A time at which a task is due, and the id of the task. */
export interface Deadline {
  /** Due time in milliseconds, on any clock. All deadlines in one queue must use the same clock. */
  readonly atMs: number;
  readonly id: string;
}

/**
 * A queue of pending deadlines. A deadline cannot be canceled. When it is due, the code that reads it must check
 * whether its task still needs to run.
 */
export class Deadlines {
  readonly #heap = new BinaryHeap<Deadline>((a, b) => a.atMs < b.atMs);

  get next(): Deadline | undefined {
    return this.#heap.first;
  }

  add(deadline: Deadline): void {
    this.#heap.add(deadline);
  }

  /** Removes and yields the deadlines that are due at `nowMs`, the earliest first. */
  *due(nowMs: number): Generator<Deadline, void, undefined> {
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || first.atMs > nowMs) return;
      this.#heap.takeFirst();
      yield first;
    }
  }
}
