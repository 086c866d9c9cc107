import { MonError } from '../../../shared/errors.ts';
import type { Cancellation } from '../results/agent-delivery.ts';

/** The maximum number of results of one connection that wait for their commit; above it the socket is not read. */
const IN_FLIGHT_MAX = 256;

/** The operations of the connection: submit results, and slow down their sender. */
interface IntakeParts {
  /**
   * @param cancellation tells whether to drop the result after all; read when the result is processed
   * @param onSettled called after the commit
   * @throws MonError `unavailable` if the queue is full
   */
  submit(result: unknown, cancellation: Cancellation, onSettled: (error: MonError | undefined) => void): void;
  pause(): void;
  resume(): void;
  /** Requests a call of `proceed` after the next commit. */
  waits(): void;
}

/**
 * Accepts results from a sender that never sends anything twice. Results wait here in order while the queue is full or
 * the store rejects them.
 */
export class ResultIntake {
  readonly #parts: IntakeParts;
  #backlog: unknown[] = [];
  /** Results that the store rejected, in order. */
  #returned: unknown[] = [];
  #inFlight = 0;
  /** Set if a result could not be stored. Later results in flight are then returned too, to keep the order. */
  #cancellation = { isCancelled: false };
  /** True if the sender may no longer deliver results. */
  #isOver = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  take(result: unknown): void {
    if (this.#isOver) return;
    if (this.#backlog.length === 0 && !this.#cancellation.isCancelled && this.#submit(result)) return;
    this.#backlog.push(result);
    this.#parts.pause();
    this.#parts.waits();
  }

  /** Submits waiting results. Called after a commit. */
  proceed(): void {
    if (this.#isOver) return;
    if (this.#cancellation.isCancelled && this.#inFlight === 0) {
      this.#backlog = [...this.#returned, ...this.#backlog];
      this.#returned = [];
      this.#cancellation = { isCancelled: false };
    }
    while (this.#backlog.length > 0 && !this.#cancellation.isCancelled && this.#submit(this.#backlog[0]))
      this.#backlog.shift();
    if (this.#backlog.length > 0 || this.#cancellation.isCancelled) this.#parts.waits();
    else this.#parts.resume();
  }

  /** @returns false if the queue or the limit in flight is full */
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
    this.#backlog = [];
    this.#returned = [];
  }
}
