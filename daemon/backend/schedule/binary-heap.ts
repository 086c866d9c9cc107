/** A priority queue. Its first item is the lowest in the order of `isBefore`. */
export class BinaryHeap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    items.push(item);
    for (let at = items.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  takeFirst(): Item | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    items[0] = last;
    this.#sink();
    return first;
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const smaller = this.#isBeforeAt(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(smaller, at)) return;
      at = smaller;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    if (!this.#isBeforeAt(lower, upper)) return false;
    const [a, b] = [this.#items[lower], this.#items[upper]];
    if (a === undefined || b === undefined) return false;
    this.#items[lower] = b;
    this.#items[upper] = a;
    return true;
  }

  /** True if the item at index `a` sorts before the item at index `b`. An index beyond the end sorts last. */
  #isBeforeAt(a: number, b: number): boolean {
    const [first, second] = [this.#items[a], this.#items[b]];
    return first !== undefined && (second === undefined || this.#isBefore(first, second));
  }
}
