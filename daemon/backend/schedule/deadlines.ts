import { BinaryHeap } from './binary-heap.ts';

/** A task that is due at a time. */
export interface Deadline {
  /** Milliseconds, by the clock of the owner. */
  readonly atMs: number;
  readonly id: string;
}

/** The pending deadlines. None is removed early; the consumer checks that a deadline still holds. */
export class Deadlines {
  readonly #heap = new BinaryHeap<Deadline>((a, b) => a.atMs < b.atMs);

  get next(): Deadline | undefined {
    return this.#heap.first;
  }

  add(deadline: Deadline): void {
    this.#heap.add(deadline);
  }

  /** Removes and yields the deadlines that are due, the earliest first. */
  *due(nowMs: number): Generator<Deadline, void, undefined> {
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || first.atMs > nowMs) return;
      this.#heap.takeFirst();
      yield first;
    }
  }
}
