import { MonError } from '../../../shared/errors.ts';
import type { Cancellation } from '../results/agent-delivery.ts';

/** Maximum number of results of one connection that wait for their commit. At the limit the socket is not read. */
const IN_FLIGHT_MAX = 256;

/** Functions of the agent connection by which a `ResultIntake` submits results, and pauses their sender. */
interface IntakeCallbacks {
  /**
   * Adds a result to the queue of the next commit.
   *
   * @param cancellation object that says whether to drop the result; it is read when the result is processed
   * @param onSettled callback for the outcome; `error` is undefined if the result was committed, rejected or dropped
   * @throws MonError `unavailable` if the queue is full
   */
  submit(result: unknown, cancellation: Cancellation, onSettled: (error: MonError | undefined) => void): void;
  pause(): void;
  resume(): void;
  /** Requests that `proceed` is called after the next commit. */
  requestProceed(): void;
}

/**
 * Submits the results of a v2 agent, which never sends a result again. Results wait here in order while the queue is
 * full or the store fails to write them.
 */
export class ResultIntake {
  readonly #callbacks: IntakeCallbacks;
  #backlog: unknown[] = [];
  /** Results that were submitted but could not be stored, in order. They are submitted again. */
  #returned: unknown[] = [];
  #inFlight = 0;
  /** Flag that is set if a result could not be stored. Later results in flight are then dropped and submitted again. */
  #cancellation = { isCancelled: false };
  /** True after the credentials of the sender became invalid: then its results are ignored. */
  #isRevoked = false;

  constructor(callbacks: IntakeCallbacks) {
    this.#callbacks = callbacks;
  }

  addResult(result: unknown): void {
    if (this.#isRevoked) return;
    if (this.#backlog.length === 0 && !this.#cancellation.isCancelled && this.#submit(result)) return;
    this.#backlog.push(result);
    this.#callbacks.pause();
    this.#callbacks.requestProceed();
  }

  /** Submits the results that wait, until the queue is full. Called after a commit. */
  proceed(): void {
    if (this.#isRevoked) return;
    if (this.#cancellation.isCancelled && this.#inFlight === 0) {
      this.#backlog = [...this.#returned, ...this.#backlog];
      this.#returned = [];
      this.#cancellation = { isCancelled: false };
    }
    while (this.#backlog.length > 0 && !this.#cancellation.isCancelled && this.#submit(this.#backlog[0]))
      this.#backlog.shift();
    if (this.#backlog.length > 0 || this.#cancellation.isCancelled) this.#callbacks.requestProceed();
    else this.#callbacks.resume();
  }

  /** Submits a result. @returns false if the queue is full, or too many results of this connection are in flight */
  #submit(result: unknown): boolean {
    if (this.#inFlight >= IN_FLIGHT_MAX) return false;
    try {
      this.#callbacks.submit(result, this.#cancellation, (error) => this.#settle(result, error));
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
    if (this.#isRevoked) return;
    if (error !== undefined) this.#cancellation.isCancelled = true;
    if (!this.#cancellation.isCancelled) return;
    this.#returned.push(result);
    this.#callbacks.pause();
    this.#callbacks.requestProceed();
  }

  #end(): void {
    this.#isRevoked = true;
    this.#backlog = [];
    this.#returned = [];
  }
}
