/** Limits on the retained change records, which hold the changes of each write so that a feed can resume. */
export interface RetentionLimits {
  /** Maximum number of retained change records. */
  readonly records: number;
  /** Maximum total number of changes in the retained change records. */
  readonly changes: number;
}

export const RETENTION_DEFAULT: RetentionLimits = { records: 20_000, changes: 500_000 };

/**
 * Tracks which change records of a shard are retained: the newest records, without a gap, within the limits. The newest
 * record is always retained, however many changes it has.
 */
export class Retention {
  readonly #limits: RetentionLimits;
  /**
   * The number of changes of each retained record, at the index `seq % length`. Sequence numbers have no gaps and at
   * most `limits.records` records are retained, so no two records share an index.
   */
  readonly #counts: Uint32Array;
  #first: number;
  #last: number;
  #total = 0;

  /** @param last the sequence number of the last write; none of the change records is counted as retained yet */
  constructor(limits: RetentionLimits, last: number) {
    this.#limits = limits;
    this.#counts = new Uint32Array(limits.records);
    this.#first = last + 1;
    this.#last = last;
  }

  /** The oldest retained sequence number; `last + 1` if no record is retained. */
  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  /**
   * Returns the value that `first` will have after the next record is appended.
   *
   * @param changes the number of changes of that record
   */
  firstAfter(changes: number): number {
    let first = this.#first;
    let total = this.#total + changes;
    const next = this.#last + 1;
    while (first < next && (next - first >= this.#limits.records || total > this.#limits.changes)) {
      total -= this.#countOf(first);
      first++;
    }
    return first;
  }

  /**
   * Counts the next record as retained, and the oldest records as removed if they exceed the limits.
   *
   * @param changes the number of changes of the next record
   */
  append(changes: number): void {
    const first = this.firstAfter(changes);
    for (; this.#first < first; this.#first++) this.#total -= this.#countOf(this.#first);
    this.#last++;
    this.#counts[this.#last % this.#counts.length] = changes;
    this.#total += changes;
  }

  /**
   * Counts the record before `first` as retained. It is called while a store is opened, from the newest record to the
   * oldest.
   *
   * @param changes the number of changes of that record
   * @returns true if the record was counted; false if the limits do not allow it
   */
  prepend(changes: number): boolean {
    const records = this.#last - this.#first + 1;
    const fits = records < this.#limits.records && this.#total + changes <= this.#limits.changes;
    if (!fits && records > 0) return false;
    this.#first--;
    this.#counts[this.#first % this.#counts.length] = changes;
    this.#total += changes;
    return true;
  }

  #countOf(seq: number): number {
    return this.#counts[seq % this.#counts.length] ?? 0;
  }
}
