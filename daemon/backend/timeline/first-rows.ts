/** Number of rows that are collected beyond the wanted ones, so that sorting is rare. */
const SPARE = 2000;

/** Keeps the first rows, in order, of any number of rows, with little more memory than these take. */
export class FirstRows<Row> {
  /** Number of rows that were added. */
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

  /** Returns the rows in order. */
  from(offset: number): readonly Row[] {
    this.#cut();
    return this.#rows.slice(offset);
  }

  #cut(): void {
    this.#rows = this.#rows.toSorted(this.#order).slice(0, this.#limit);
  }
}
