/** Rows beyond those that are wanted, so that they are put in order now and then only. */
const SPARE = 2000;

/** Of any number of rows those that come first, in memory for little more than these. */
export class FirstRows<Row> {
  /** How many there were. */
  total = 0;
  readonly #order: (a: Row, b: Row) => number;
  readonly #wanted: number;
  #rows: Row[] = [];

  constructor(order: (a: Row, b: Row) => number, wanted: number) {
    this.#order = order;
    this.#wanted = wanted;
  }

  add(row: Row): void {
    this.total++;
    this.#rows.push(row);
    if (this.#rows.length >= 2 * this.#wanted + SPARE) this.#cut();
  }

  /** In their order. */
  from(offset: number): readonly Row[] {
    this.#cut();
    return this.#rows.slice(offset);
  }

  #cut(): void {
    this.#rows = this.#rows.toSorted(this.#order).slice(0, this.#wanted);
  }
}
