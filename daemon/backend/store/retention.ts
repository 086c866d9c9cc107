/** Limits of the past from which a feed can resume. */
export interface RetentionLimits {
  /** Maximum number of retained change records. */
  readonly records: number;
  /** Maximum number of changes in all of them. */
  readonly changes: number;
}

export const RETENTION_DEFAULT: RetentionLimits = { records: 20_000, changes: 500_000 };

/**
 * Tracks which change records of a shard are retained: the newest ones, without a gap, within the limits. The newest is
 * retained whatever its size.
 */
export class Retention {
  readonly #limits: RetentionLimits;
  /** Changes by `seq % length`: sequence numbers are dense, and at most `limits.records` are retained. */
  readonly #counts: Uint32Array;
  #first: number;
  #last: number;
  #total = 0;

  /** @param last the last sequence number so far; no record is retained yet */
  constructor(limits: RetentionLimits, last: number) {
    this.#limits = limits;
    this.#counts = new Uint32Array(limits.records);
    this.#first = last + 1;
    this.#last = last;
  }

  /** The oldest retained sequence number; the one after `last` if none is retained. */
  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  /** Returns the value of `first` after a record with this number of changes is appended. */
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

  /** Appends the record after the last one. */
  append(changes: number): void {
    const first = this.firstAfter(changes);
    for (; this.#first < first; this.#first++) this.#total -= this.#countOf(this.#first);
    this.#last++;
    this.#counts[this.#last % this.#counts.length] = changes;
    this.#total += changes;
  }

  /**
   * Adds the record before the first one, when a store opens.
   *
   * @returns false if the limits do not allow it
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
