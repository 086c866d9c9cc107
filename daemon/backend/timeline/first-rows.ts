/** Number of additional rows that are collected before rows are sorted and cut off, so that sorting is rare. */
const SPARE_ROWS = 2000;

/**
 * Collects the first rows in sort order out of any number of rows. It keeps only a bounded number of rows in memory.
 */
export class FirstRows<Row> {
  /** Number of rows that were added, including rows that were dropped. */
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
    if (this.#rows.length >= 2 * this.#limit + SPARE_ROWS) this.#dropExcess();
  }

  /** Returns the collected rows in sort order, without the first `offset` rows. */
  from(offset: number): readonly Row[] {
    this.#dropExcess();
    return this.#rows.slice(offset);
  }

  #dropExcess(): void {
    this.#rows = this.#rows.toSorted(this.#order).slice(0, this.#limit);
  }
}
