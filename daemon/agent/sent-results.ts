import { ShortResults } from './short-results.ts';
import type { SpooledResult } from './unsaved-results.ts';

interface SentResultsOptions {
  /** The highest id that the backend has committed; results go on after it. */
  readonly acked: number;
  /** Results that may be unacknowledged. */
  readonly window: number;
  /** Of the client. */
  readonly signature: string | undefined;
}

/** What of the spool has been sent over a connection, and what came back. */
export class SentResults {
  readonly #window: number;
  readonly #signature: string | undefined;
  #sentId: number;
  #ackedId: number;
  #shortResults = new ShortResults();
  #rewinds = 0;
  /** What the next frame is to say that it resumes after. */
  #resumes: number | undefined;

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

  /** Everything up to this id is stored. */
  get ackedId(): number {
    return this.#ackedId;
  }

  get isAcknowledged(): boolean {
    return this.#ackedId >= this.#sentId;
  }

  /** How many more may be sent now. */
  get room(): number {
    return this.#window - (this.#sentId - this.#ackedId);
  }

  /** How often it was rewound: what was read from the spool before does not follow any more on what is sent. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** @param bases ids of results that the backend remembers */
  acknowledge(id: number, bases: readonly number[] = []): void {
    this.#shortResults.confirm(bases);
    this.#ackedId = Math.max(this.#ackedId, Math.min(id, this.#sentId));
  }

  /**
   * Begins again after this id, with whole results.
   *
   * @returns false when it is after everything that was sent: then nothing changes
   */
  rewind(after: number): boolean {
    if (after > this.#sentId) return false;
    this.#shortResults = new ShortResults();
    this.#sentId = Math.max(after, this.#ackedId);
    this.#resumes = after;
    this.#rewinds += 1;
    return true;
  }

  /**
   * The `results` frame of the next results, which count as sent with it.
   *
   * @param results at least one, in order
   */
  nextFrame(results: readonly SpooledResult[]): string {
    const items = results.map((result) => this.#shortResults.itemOf(result, this.#signature));
    const resumes = this.#resumes === undefined ? '' : `"resumes":${String(this.#resumes)},`;
    this.#resumes = undefined;
    this.#sentId = results.at(-1)?.id ?? this.#sentId;
    return `{"type":"results",${resumes}"results":[${items.join(',')}]}`;
  }
}
