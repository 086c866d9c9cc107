/** Collects items and retains only the first `limit` items in a sort order, so that its memory is bounded. */
export class FirstItems<Item> {
  readonly #limit: number;
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  /** Total number of items added, including those that are not retained. */
  count = 0;

  constructor(limit: number, compare: (a: Item, b: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    this.count++;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#limit + 1) this.#items = this.items();
  }

  items(): Item[] {
    return this.#items.toSorted(this.#compare).slice(0, this.#limit);
  }
}
