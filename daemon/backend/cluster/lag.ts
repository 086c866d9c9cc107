/**
 * Measures for how long a committed write has been missing in the memory of a member. The number of missing writes
 * would mislead: under load a follower lacks the newest write at nearly every measurement, but only briefly.
 */
export class Lag {
  /**
   * The missing write whose delay is measured, and when it was first found missing; undefined if no write is missing.
   */
  #lacking: { readonly seq: number; readonly sinceMs: number } | undefined;

  /**
   * Records a measurement.
   *
   * @param seq the sequence number of the last write in memory
   * @param newest the sequence number of the newest write that is known to exist
   * @param nowMs the current time of the monotonic clock in milliseconds
   */
  recordMeasurement(seq: number, newest: number, nowMs: number): void {
    // A missing write above `newest` was lost by the database, so it is not waited for any longer.
    if (this.#lacking !== undefined && seq < this.#lacking.seq && this.#lacking.seq <= newest) return;
    this.#lacking = seq < newest ? { seq: newest, sinceMs: nowMs } : undefined;
  }

  /** Sequence number of the missing write; 0 if no write was missing at the last measurement. */
  get seq(): number {
    return this.#lacking?.seq ?? 0;
  }

  /** @returns for how many milliseconds the write has been missing; 0 if no write is missing */
  delayMs(seq: number, nowMs: number): number {
    return this.#lacking === undefined || seq >= this.#lacking.seq ? 0 : nowMs - this.#lacking.sinceMs;
  }
}
