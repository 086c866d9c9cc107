/** Number of additional rows that are collected before rows are sorted and cut, so that sorting is rare. */
const SPARE = 2000;

/**
 * Collects the first rows in sort order out of any number of rows. Its memory is bounded by the number of retained
 * rows.
 */
export class FirstRows<Row> {
  /** Number of rows that were added, including rows that were not retained. */
  total = 0;
  readonly #order: (a: Row, b: Row) => number;
  readonly #limit: number;
  #rows: Row[] = [];

  constructor(order: (a: Row, b: Row) => number, limit: number) {
    this.#order = order;
    this.#limit = limit;
  }

  add(row: Row): void {
    this.total++;
    this.#rows.push(row);
    if (this.#rows.length >= 2 * this.#limit + SPARE) this.#cut();
  }

  /** Returns the retained rows in sort order, without the first `offset` rows. */
  from(offset: number): readonly Row[] {
    this.#cut();
    return this.#rows.slice(offset);
  }

  #cut(): void {
    this.#rows = this.#rows.toSorted(this.#order).slice(0, this.#limit);
  }
}
