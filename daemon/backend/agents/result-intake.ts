import { MonError } from '../../../shared/errors.ts';
import type { Cancellation } from '../results/agent-delivery.ts';

/** Results of one connection that may wait for their commit; beyond it its socket is not read. */
const IN_FLIGHT_MAX = 256;

/** Where results go, and how their sender is slowed down. */
interface IntakeParts {
  /**
   * @param cancellation whether to leave the result out after all, asked when its turn comes
   * @param onSettled told after the commit
   * @throws MonError `unavailable` when the queue is full
   */
  submit(result: unknown, cancellation: Cancellation, onSettled: (error: MonError | undefined) => void): void;
  pause(): void;
  resume(): void;
  /** `proceed` is to be called after the next commit. */
  waits(): void;
}

/**
 * Takes results from a sender that never delivers anything twice: what the queue has no place for waits here in order,
 * and so does what the store refused, until it takes them.
 */
export class ResultIntake {
  readonly #parts: IntakeParts;
  #held: unknown[] = [];
  /** What came back from a store that refused it, in order. */
  #returned: unknown[] = [];
  #inFlight = 0;
  /** Set when one could not be stored: then the later ones that are under way come back too, in their order. */
  #cancellation = { isCancelled: false };
  /** Whether its sender may deliver nothing any more. */
  #isOver = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  take(result: unknown): void {
    if (this.#isOver) return;
    if (this.#held.length === 0 && !this.#cancellation.isCancelled && this.#submit(result)) return;
    this.#held.push(result);
    this.#parts.pause();
    this.#parts.waits();
  }

  /** After a commit: takes up what had to wait. */
  proceed(): void {
    if (this.#isOver) return;
    if (this.#cancellation.isCancelled && this.#inFlight === 0) {
      this.#held = [...this.#returned, ...this.#held];
      this.#returned = [];
      this.#cancellation = { isCancelled: false };
    }
    while (this.#held.length > 0 && !this.#cancellation.isCancelled && this.#submit(this.#held[0])) this.#held.shift();
    if (this.#held.length > 0 || this.#cancellation.isCancelled) this.#parts.waits();
    else this.#parts.resume();
  }

  /** @returns false when there is no place */
  #submit(result: unknown): boolean {
    if (this.#inFlight >= IN_FLIGHT_MAX) return false;
    try {
      this.#parts.submit(result, this.#cancellation, (error) => this.#settle(result, error));
    } catch (error) {
      if (error instanceof MonError && error.code === 'unavailable') return false;
      throw error;
    }
    this.#inFlight++;
    return true;
  }

  #settle(result: unknown, error: MonError | undefined): void {
    this.#inFlight--;
    if (error?.code === 'unauthenticated') this.#end();
    if (this.#isOver) return;
    if (error !== undefined) this.#cancellation.isCancelled = true;
    if (!this.#cancellation.isCancelled) return;
    this.#returned.push(result);
    this.#parts.pause();
    this.#parts.waits();
  }

  #end(): void {
    this.#isOver = true;
    this.#held = [];
    this.#returned = [];
  }
}
