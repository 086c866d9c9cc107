/** The number of buckets per doubling of the duration. The bound of each bucket is a tenth above the previous bound. */
const BUCKETS_PER_DOUBLING = 7;
const SHORTEST_MS = 0.01;
const BUCKET_COUNT = 30 * BUCKETS_PER_DOUBLING;

/** A duration stays in the distribution for at least this period and at most twice as long. */
const PERIOD_MS = 150_000;

/** The distribution of durations in the last minutes. Recording a duration takes constant time. */
export class RecentDurations {
  readonly #monotonic: () => number;
  #counts = new Uint32Array(BUCKET_COUNT);
  #countsBefore = new Uint32Array(BUCKET_COUNT);
  #startMs: number;

  /** @param monotonic returns the milliseconds of a monotonic clock */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#startMs = monotonic();
  }

  note(durationMs: number): void {
    this.#rotate();
    const bucket = Math.ceil(Math.log2(Math.max(durationMs, SHORTEST_MS) / SHORTEST_MS) * BUCKETS_PER_DOUBLING);
    const at = Math.min(BUCKET_COUNT - 1, bucket);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** Returns the 99th percentile in milliseconds, at most a tenth too high; undefined if no durations were recorded. */
  p99(): number | undefined {
    this.#rotate();
    const counts = this.#counts.map((count, at) => count + (this.#countsBefore[at] ?? 0));
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return undefined;
    let within = 0;
    const at = counts.findIndex((count) => (within += count) >= total * 0.99);
    return SHORTEST_MS * 2 ** (at / BUCKETS_PER_DOUBLING);
  }

  #rotate(): void {
    const passed = Math.floor((this.#monotonic() - this.#startMs) / PERIOD_MS);
    if (passed === 0) return;
    this.#countsBefore = passed === 1 ? this.#counts : new Uint32Array(BUCKET_COUNT);
    this.#counts = new Uint32Array(BUCKET_COUNT);
    this.#startMs += passed * PERIOD_MS;
  }
}
