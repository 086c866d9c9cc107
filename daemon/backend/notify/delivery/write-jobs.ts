import type { Actor } from '../../../../shared/schemas/audit.ts';
import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import { errorMessage, type MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock } from '../../ports.ts';
import { recordAudit, type AuditedChange } from '../../model/audit/mutations.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { deadLetterKey, handlerJobKey } from '../../model/notify/delivery/storage.ts';

/** A change of a stored handler job, which is a dead letter if a failure is stored for it. */
export type JobChange =
  /** The notification was delivered: deletes the job. */
  | { readonly kind: 'finish'; readonly id: number }
  /** The run failed permanently: stores the failure, so that the job becomes a dead letter. */
  | { readonly kind: 'bury'; readonly id: number; readonly failure: JobFailure }
  /** The dead letter is retried: deletes the failure, so that the job is no longer a dead letter. */
  | { readonly kind: 'revive'; readonly id: number }
  /** The dead letter is dropped: deletes the job and the failure. */
  | { readonly kind: 'drop'; readonly id: number };

interface Pending {
  readonly change: JobChange;
  readonly onStored: (() => void) | undefined;
}

/** Delay before changes of handler jobs are written again after the write failed. */
const AGAIN_MS = 1000;

/**
 * Writes changes of stored handler jobs through the batcher. The outcomes of runs that end close together share one
 * command, and the next command waits for its commit. So a thousand runs that end per second do not fill the queue of
 * the batcher and crowd out results.
 */
export class HandlerJobs implements Disposable {
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  #pending: Pending[] = [];
  /**
   * The state of the command with outcomes of runs: `enqueued` until the batcher applies it with all changes that are
   * pending then, `applied` until its commit ends, otherwise `none`.
   */
  #state: 'none' | 'enqueued' | 'applied' = 'none';
  #again: Disposable | undefined;
  #isDisposed = false;
  #onWritten: (() => void) | undefined;

  constructor({ batcher, clock, log }: { readonly batcher: Batcher; readonly clock: Clock; readonly log: Log }) {
    this.#batcher = batcher;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Adds a change to the next command, and retries until the change is stored or the backend stops.
   *
   * @param onStored called after the commit of the change
   */
  settle(change: JobChange, onStored?: () => void): void {
    this.#pending.push({ change, onStored });
    if (this.#again === undefined) this.#write();
  }

  /**
   * Commits all changes that a user requested, together with their audit record.
   *
   * @throws MonError `unavailable` if they could not be committed
   */
  apply(changes: readonly JobChange[], actor: Actor, audited: AuditedChange): Promise<void> {
    return this.#batcher.run((transaction) => {
      applyAll(transaction, changes);
      recordAudit(transaction, actor, audited);
    });
  }

  /**
   * Passes all pending changes to the batcher, which commits them before it closes. If a command is being committed,
   * waits for that first.
   */
  async flush(): Promise<void> {
    if (this.#state === 'applied') {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onWritten = resolve;
      await promise;
    }
    this.#write();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#again?.[Symbol.dispose]();
  }

  #write(): void {
    if (this.#state !== 'none' || this.#pending.length === 0) return;
    this.#state = 'enqueued';
    let taken: Pending[] = [];
    try {
      this.#batcher.enqueue({
        weight: 1,
        apply: (transaction) => {
          this.#state = 'applied';
          // The batcher applies a command again when it has to rebuild a batch, so earlier changes stay included.
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
      if (this.#batcher.isOpen) this.#retryAfterCommit();
      else this.#putOff(error);
    }
  }

  /**
   * Writes the pending changes at the end of the current commit, after the batcher rejected them because its queue was
   * full. At that moment the queue has free capacity, before other callers use it up.
   */
  #retryAfterCommit(): void {
    this.#state = 'none';
    this.#again?.[Symbol.dispose]();
    const listening = this.#batcher.commits.onIdle(() => {
      listening[Symbol.dispose]();
      this.#again = undefined;
      this.#write();
    });
    this.#again = listening;
  }

  #written(taken: readonly Pending[], error: MonError | undefined): void {
    if (error === undefined) {
      this.#state = 'none';
      for (const { onStored } of taken) onStored?.();
      this.#write();
    } else {
      this.#pending = [...taken, ...this.#pending];
      this.#putOff(error);
    }
    this.#onWritten?.();
  }

  #putOff(error: unknown): void {
    this.#state = 'none';
    this.#log.warn(
      { error: errorMessage(error), changes: this.#pending.length },
      this.#isDisposed
        ? 'could not store the outcomes of handler runs: the handlers run again after the next start'
        : 'could not store the outcomes of handler runs, retrying soon',
    );
    if (this.#isDisposed) return;
    this.#again?.[Symbol.dispose]();
    this.#again = this.#clock.after(AGAIN_MS, () => {
      this.#again = undefined;
      this.#write();
    });
  }
}

function applyAll(transaction: Transaction, changes: readonly JobChange[]): void {
  for (const change of changes) {
    switch (change.kind) {
      case 'finish':
        transaction.erase(handlerJobKey(change.id));
        break;
      case 'bury':
        // The failure has its own record, so that the job with its event need not be written again.
        transaction.write(deadLetterKey(change.id), JSON.stringify(change.failure));
        break;
      case 'revive':
        transaction.erase(deadLetterKey(change.id));
        break;
      case 'drop':
        transaction.erase(handlerJobKey(change.id));
        transaction.erase(deadLetterKey(change.id));
        break;
    }
  }
}
