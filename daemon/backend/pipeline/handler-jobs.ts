import type { JobFailure } from '../../../shared/schemas/handler-job.ts';
import { errorMessage, type MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { Batcher } from './batcher.ts';
import type { Transaction } from './transaction.ts';

/** What becomes of a stored run of a handler. */
export type JobChange =
  /** It is over. */
  | { readonly kind: 'finish'; readonly id: number }
  /** It becomes a dead letter. */
  | { readonly kind: 'bury'; readonly id: number; readonly failure: JobFailure }
  /** The dead letter is a run again. */
  | { readonly kind: 'revive'; readonly id: number }
  /** Nobody wants the dead letter any more. */
  | { readonly kind: 'drop'; readonly id: number };

interface Pending {
  readonly change: JobChange;
  readonly onStored: (() => void) | undefined;
}

/** How soon what the store refused is tried again. */
const AGAIN_MS = 1000;

/**
 * Changes of stored runs, through the batcher. They take nothing of its queue, so that handlers neither wait for results
 * nor keep them out, and there is one command at a time, which takes along all that has come up since the last one.
 */
export class HandlerJobs implements Disposable {
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  #pending: Pending[] = [];
  #isWriting = false;
  #again: Disposable | undefined;
  /** Told when there is nothing left to write, or when it could not be written. */
  #waiting: (() => void)[] = [];

  constructor({ batcher, clock, log }: { readonly batcher: Batcher; readonly clock: Clock; readonly log: Log }) {
    this.#batcher = batcher;
    this.#clock = clock;
    this.#log = log;
  }

  /** Changes that are not stored yet. */
  get unstored(): number {
    return this.#pending.length;
  }

  /** Stores a change, however often it takes. */
  settle(change: JobChange, onStored?: () => void): void {
    this.#pending.push({ change, onStored });
    if (this.#again === undefined) this.#write();
  }

  /**
   * Stores changes now, together.
   *
   * @throws MonError `unavailable`
   */
  apply(changes: readonly JobChange[]): Promise<void> {
    return this.#batcher.run((transaction) => applyAll(transaction, changes), { weight: 0 });
  }

  /** Waits until everything is stored, but not for a store that refuses. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0 && !this.#isWriting) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#write();
    await promise;
  }

  [Symbol.dispose](): void {
    this.#again?.[Symbol.dispose]();
  }

  #write(): void {
    if (this.#isWriting || this.#pending.length === 0) return;
    this.#isWriting = true;
    let taken: Pending[] = [];
    try {
      this.#batcher.enqueue({
        weight: 0,
        apply: (transaction) => {
          // It is called again when the batch has to begin anew.
          taken = taken.concat(this.#pending);
          this.#pending = [];
          applyAll(
            transaction,
            taken.map(({ change }) => change),
          );
        },
        settle: (error) => this.#written(taken, error),
      });
    } catch (error) {
      this.#putOff(error);
    }
  }

  #written(taken: readonly Pending[], error: MonError | undefined): void {
    if (error !== undefined) {
      this.#pending = [...taken, ...this.#pending];
      this.#putOff(error);
      return;
    }
    this.#isWriting = false;
    for (const { onStored } of taken) onStored?.();
    if (this.#pending.length > 0) this.#write();
    else this.#tellWaiting();
  }

  #putOff(error: unknown): void {
    this.#isWriting = false;
    this.#log.warn(
      { error: errorMessage(error), changes: this.#pending.length },
      'what became of runs of handlers was not stored, it is tried again soon',
    );
    this.#again?.[Symbol.dispose]();
    this.#again = this.#clock.after(AGAIN_MS, () => {
      this.#again = undefined;
      this.#write();
    });
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }
}

function applyAll(transaction: Transaction, changes: readonly JobChange[]): void {
  for (const change of changes) {
    switch (change.kind) {
      case 'finish':
        transaction.finishJob(change.id);
        break;
      case 'bury':
        transaction.buryJob(change.id, change.failure);
        break;
      case 'revive':
        transaction.reviveJob(change.id);
        break;
      case 'drop':
        transaction.dropDeadLetter(change.id);
        break;
    }
  }
}
