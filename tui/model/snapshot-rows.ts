/** Rows by their keys. What a new snapshot does not mention is gone at its end, and is there until then. */
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
