/** Something that is due at a time. */
export interface Deadline {
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly id: string;
}

/**
 * What is due next: a binary heap. Nothing is ever removed early; whoever takes a deadline checks that it still holds.
 */
export class Deadlines {
  readonly #heap: Deadline[] = [];

  get next(): Deadline | undefined {
    return this.#heap[0];
  }

  add(deadline: Deadline): void {
    const heap = this.#heap;
    heap.push(deadline);
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Takes the deadlines that have come, the earliest first. */
  *due(nowMs: number): Generator<Deadline, void, undefined> {
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= nowMs; first = this.#heap[0]) {
      this.#removeFirst();
      yield first;
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const smaller = left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (smaller >= this.#heap.length || !this.#isBefore(smaller, at)) return;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  #isBefore(a: number, b: number): boolean {
    return (this.#heap[a]?.atMs ?? Infinity) < (this.#heap[b]?.atMs ?? Infinity);
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
