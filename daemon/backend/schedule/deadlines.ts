import { BinaryHeap } from './binary-heap.ts';

/** Something that is due at a time. */
export interface Deadline {
  /** Milliseconds, by the clock of whoever keeps it. */
  readonly atMs: number;
  readonly id: string;
}

/** What is due next. Nothing is ever removed early; whoever takes a deadline checks that it still holds. */
export class Deadlines {
  readonly #heap = new BinaryHeap<Deadline>((a, b) => a.atMs < b.atMs);

  get next(): Deadline | undefined {
    return this.#heap.first;
  }

  add(deadline: Deadline): void {
    this.#heap.add(deadline);
  }

  /** Takes the deadlines that have come, the earliest first. */
  *due(nowMs: number): Generator<Deadline, void, undefined> {
    for (;;) {
      const { first } = this.#heap;
      if (first === undefined || first.atMs > nowMs) return;
      this.#heap.takeFirst();
      yield first;
    }
  }
}
