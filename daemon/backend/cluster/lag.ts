/**
 * Measures for how long a member has missed a write that it knows of. A follower of a busy leader misses the newest
 * write at nearly every check, and is not far behind for that.
 */
export class Lag {
  /** The oldest known write that was missing, and the time when that was noticed. */
  #lacking: { readonly seq: number; readonly sinceMs: number } | undefined;

  /**
   * @param seq the last write in memory
   * @param newest the last known write
   * @param nowMs on the monotonic clock
   */
  note(seq: number, newest: number, nowMs: number): void {
    // A write that was known and is lost by the database is not missing.
    if (this.#lacking !== undefined && seq < this.#lacking.seq && this.#lacking.seq <= newest) return;
    this.#lacking = seq < newest ? { seq: newest, sinceMs: nowMs } : undefined;
  }

  /** The newest write that is known to be missing; 0: none. */
  get seq(): number {
    return this.#lacking?.seq ?? 0;
  }

  /** @returns milliseconds; 0: no known write is missing */
  ms(seq: number, nowMs: number): number {
    return this.#lacking === undefined || seq >= this.#lacking.seq ? 0 : nowMs - this.#lacking.sinceMs;
  }
}
