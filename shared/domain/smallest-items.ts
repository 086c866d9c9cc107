/**
 * Selects the first items of an order without sorting all items. It needs memory only for the selected items, which are
 * in a heap with the last one of them at the top.
 */
export class SmallestItems<Item> {
  readonly #count: number;
  readonly #order: (a: Item, b: Item) => number;
  readonly #heap: Item[] = [];

  /**
   * @param count number of items to select
   * @param order total order of the items: it must not regard two items as equal
   */
  constructor(count: number, order: (a: Item, b: Item) => number) {
    this.#count = count;
    this.#order = order;
  }

  add(item: Item): void {
    const heap = this.#heap;
    if (heap.length < this.#count) {
      heap.push(item);
      this.#moveUp(heap.length - 1);
      return;
    }
    const [last] = heap;
    if (last === undefined || this.#order(item, last) >= 0) return;
    heap[0] = item;
    this.#moveDown();
  }

  /** Returns the selected items in order. */
  sorted(): Item[] {
    return this.#heap.toSorted(this.#order);
  }

  #moveUp(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isAfter(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #moveDown(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let next = left;
      if (right < this.#heap.length && this.#isAfter(right, left)) next = right;
      if (next >= this.#heap.length || !this.#isAfter(next, at)) return;
      this.#swap(at, next);
      at = next;
    }
  }

  #isAfter(one: number, other: number): boolean {
    return this.#order(this.#heap[one] as Item, this.#heap[other] as Item) > 0;
  }

  #swap(one: number, other: number): void {
    const item = this.#heap[one] as Item;
    this.#heap[one] = this.#heap[other] as Item;
    this.#heap[other] = item;
  }
}
