/** Rows of the feed by key. If a new snapshot does not contain a row, the row stays until `endSnapshot` removes it. */
export class SnapshotRows<Row> extends Map<string, Row> {
  readonly #unmentioned = new Set<string>();

  override set(key: string, row: Row): this {
    this.#unmentioned.delete(key);
    return super.set(key, row);
  }

  beginSnapshot(): void {
    for (const key of this.keys()) this.#unmentioned.add(key);
  }

  endSnapshot(): void {
    for (const key of this.#unmentioned) this.delete(key);
    this.#unmentioned.clear();
  }
}
