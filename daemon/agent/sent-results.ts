import { DeltaEncoder } from './delta-encoder.ts';
import type { SpooledResult } from './unsaved-results.ts';

interface SentResultsOptions {
  /** The highest id that the backend has committed; results after it are sent. */
  readonly acked: number;
  /** The maximum number of unacknowledged results. */
  readonly window: number;
  /** The signature of the client. */
  readonly signature: string | undefined;
}

/** The results that were sent over one connection, and how many of them the backend has acknowledged. */
export class SentResults {
  readonly #window: number;
  readonly #signature: string | undefined;
  #sentId: number;
  #ackedId: number;
  #encoder = new DeltaEncoder();
  #rewinds = 0;
  /** The `resume_after` of the next frame; undefined: it has none. */
  #resumeAfter: number | undefined;

  constructor({ acked, window, signature }: SentResultsOptions) {
    this.#window = window;
    this.#signature = signature;
    this.#sentId = acked;
    this.#ackedId = acked;
  }

  /** The last id that was sent. */
  get sentId(): number {
    return this.#sentId;
  }

  /** The highest acknowledged id: the backend has stored all results up to it. */
  get ackedId(): number {
    return this.#ackedId;
  }

  get isAcknowledged(): boolean {
    return this.#ackedId >= this.#sentId;
  }

  /** The number of results that may be sent now. */
  get remainingWindow(): number {
    return this.#window - (this.#sentId - this.#ackedId);
  }

  /** The number of rewinds. After a rewind, results that were read from the spool before no longer come next. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** @param baselines ids of results that the backend keeps as baselines */
  acknowledge(id: number, baselines: readonly number[] = []): void {
    this.#encoder.confirm(baselines);
    this.#ackedId = Math.max(this.#ackedId, Math.min(id, this.#sentId));
  }

  /**
   * Rewinds to this id: the results after it are sent again, in full.
   *
   * @returns false if nothing was sent up to this id; then nothing changes
   */
  rewind(after: number): boolean {
    if (after > this.#sentId) return false;
    this.#encoder = new DeltaEncoder();
    this.#sentId = Math.max(after, this.#ackedId);
    this.#resumeAfter = after;
    this.#rewinds += 1;
    return true;
  }

  /**
   * Returns the `results` frame with these results, and counts them as sent.
   *
   * @param results at least one, in order
   */
  nextFrame(results: readonly SpooledResult[]): string {
    const items = results.map((result) => this.#encoder.encode(result, this.#signature));
    const resumeAfter = this.#resumeAfter === undefined ? '' : `"resume_after":${String(this.#resumeAfter)},`;
    this.#resumeAfter = undefined;
    this.#sentId = results.at(-1)?.id ?? this.#sentId;
    return `{"type":"results",${resumeAfter}"results":[${items.join(',')}]}`;
  }
}
