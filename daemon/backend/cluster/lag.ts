/**
 * For how long a member has lacked a write that it knows of. One that follows a busy writer lacks the newest at nearly every look,
 * and is not far behind for that.
 */
export class Lag {
  /** The oldest write that is known of and was not there yet, with the moment at which that was seen. */
  #lacking: { readonly seq: number; readonly sinceMs: number } | undefined;

  /**
   * @param seq the last write in memory
   * @param newest the last one that is known of
   * @param nowMs on the monotonic clock
   */
  note(seq: number, newest: number, nowMs: number): void {
    // What was known of and is not any more, because the database has lost it, is not lacking.
    if (this.#lacking !== undefined && seq < this.#lacking.seq && this.#lacking.seq <= newest) return;
    this.#lacking = seq < newest ? { seq: newest, sinceMs: nowMs } : undefined;
  }

  /** The newest write that is known to be lacking; 0: none is. */
  get seq(): number {
    return this.#lacking?.seq ?? 0;
  }

  /** @returns milliseconds; 0: nothing is lacking that was known of */
  ms(seq: number, nowMs: number): number {
    return this.#lacking === undefined || seq >= this.#lacking.seq ? 0 : nowMs - this.#lacking.sinceMs;
  }
}
