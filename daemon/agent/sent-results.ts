import { DeltaEncoder } from './delta-encoder.ts';
import type { SpooledResult } from './unsaved-results.ts';

interface SentResultsOptions {
  /** The highest result id that the backend has committed; only results after it are sent. */
  readonly acked: number;
  /** The maximum number of unacknowledged results. */
  readonly window: number;
  /** The signature of the client, sent with each full result; undefined if the client has none. */
  readonly signature: string | undefined;
}

/**
 * Records which results were sent over one connection and which of them the backend has acknowledged. It also encodes
 * the `results` frames.
 */
export class SentResults {
  readonly #window: number;
  readonly #signature: string | undefined;
  #sentId: number;
  #ackedId: number;
  #encoder = new DeltaEncoder();
  #rewinds = 0;
  /** The attribute `resume_after` of the next frame; undefined if the frame has no such attribute. */
  #resumeAfter: number | undefined;

  constructor({ acked, window, signature }: SentResultsOptions) {
    this.#window = window;
    this.#signature = signature;
    this.#sentId = acked;
    this.#ackedId = acked;
  }

  /** The id of the last result that was sent. */
  get sentId(): number {
    return this.#sentId;
  }

  /** The highest acknowledged id: the backend has committed all results up to and including it. */
  get ackedId(): number {
    return this.#ackedId;
  }

  get isAcknowledged(): boolean {
    return this.#ackedId >= this.#sentId;
  }

  /** The number of further results that may be sent before the next acknowledgment. */
  get remainingWindow(): number {
    return this.#window - (this.#sentId - this.#ackedId);
  }

  /**
   * The number of rewinds so far. After a rewind, results that were read from the spool before it must not be sent
   * next.
   */
  get rewinds(): number {
    return this.#rewinds;
  }

  /**
   * Records that the backend has committed all results up to and including `id`.
   *
   * @param baselines the ids of full results that the backend now stores as baselines
   */
  acknowledge(id: number, baselines: readonly number[] = []): void {
    this.#encoder.confirm(baselines);
    this.#ackedId = Math.max(this.#ackedId, Math.min(id, this.#sentId));
  }

  /**
   * Goes back to the id `after`, as the backend requested: the results after it are sent again, in full.
   *
   * @returns true if the position was changed; false if `after` is above the last id that was sent
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
   * Returns the JSON text of the `results` frame with these results, and records them as sent.
   *
   * @param results one or more results, in the order of their ids
   */
  nextFrame(results: readonly SpooledResult[]): string {
    const items = results.map((result) => this.#encoder.encode(result, this.#signature));
    const resumeAfter = this.#resumeAfter === undefined ? '' : `"resume_after":${String(this.#resumeAfter)},`;
    this.#resumeAfter = undefined;
    this.#sentId = results.at(-1)?.id ?? this.#sentId;
    return `{"type":"results",${resumeAfter}"results":[${items.join(',')}]}`;
  }
}
