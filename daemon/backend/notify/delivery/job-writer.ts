import type { Actor } from '../../../../shared/schemas/audit.ts';
import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import { errorMessage, type MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock } from '../../ports.ts';
import { recordAudit, type AuditedChange } from '../../model/audit/mutations.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { deadLetterKey, handlerJobKey } from '../../model/notify/delivery/storage.ts';

/** A change of a stored handler job. A job with a stored failure is a dead letter. */
export type JobChange =
  /** The notification was delivered: deletes the job. */
  | { readonly kind: 'finish'; readonly id: number }
  /** The run failed permanently: stores the failure, so that the job becomes a dead letter. */
  | { readonly kind: 'bury'; readonly id: number; readonly failure: JobFailure }
  /** The dead letter is retried: deletes the failure, so that the job is no longer a dead letter. */
  | { readonly kind: 'revive'; readonly id: number }
  /** The dead letter is dropped: deletes the job and the failure. */
  | { readonly kind: 'drop'; readonly id: number };

interface PendingJobChange {
  readonly change: JobChange;
  readonly onStored: (() => void) | undefined;
}

/** Delay in milliseconds before job changes are written again after a write failed. */
const RETRY_DELAY_MS = 1000;

/**
 * Writes changes of stored handler jobs through the batcher. Submitted changes are collected: at most one command with
 * such changes is in the batcher at a time. Changes that arrive before its commit ends share the next command. So even
 * a thousand handler runs per second do not fill the queue of the batcher, which check results share.
 */
export class JobWriter implements Disposable {
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  #pendingChanges: PendingJobChange[] = [];
  /**
   * The state of the current command. `enqueued`: it waits in the queue of the batcher. `applied`: it has applied the
   * pending changes, and its commit has not ended. `none`: there is no command.
   */
  #commandState: 'none' | 'enqueued' | 'applied' = 'none';
  #scheduledRetry: Disposable | undefined;
  #isDisposed = false;
  #onWriteEnd: (() => void) | undefined;

  constructor({ batcher, clock, log }: { readonly batcher: Batcher; readonly clock: Clock; readonly log: Log }) {
    this.#batcher = batcher;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Stores a change with the next command. If the commit fails, tries again until the change is stored or the backend
   * stops.
   *
   * @param onStored called after the commit of the change
   */
  submit(change: JobChange, onStored?: () => void): void {
    this.#pendingChanges.push({ change, onStored });
    if (this.#scheduledRetry === undefined) this.#writePending();
  }

  /**
   * Commits changes that a user requested, together with their audit record.
   *
   * @throws MonError `unavailable` if they could not be committed
   */
  commitWithAudit(changes: readonly JobChange[], actor: Actor, auditedChange: AuditedChange): Promise<void> {
    return this.#batcher.run((transaction) => {
      applyJobChanges(transaction, changes);
      recordAudit(transaction, actor, auditedChange);
    });
  }

  /**
   * Passes all pending changes to the batcher, which commits them before it closes. If a commit of earlier changes is
   * in progress, waits for its end first.
   */
  async flushPendingChanges(): Promise<void> {
    if (this.#commandState === 'applied') {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onWriteEnd = resolve;
      await promise;
    }
    this.#writePending();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#scheduledRetry?.[Symbol.dispose]();
  }

  #writePending(): void {
    if (this.#commandState !== 'none' || this.#pendingChanges.length === 0) return;
    this.#commandState = 'enqueued';
    let commandChanges: PendingJobChange[] = [];
    try {
      this.#batcher.enqueue({
        weight: 1,
        apply: (transaction) => {
          this.#commandState = 'applied';
          // The batcher applies this command again if it has to rebuild the batch. Then the changes of the first time
          // must be applied again.
          commandChanges = commandChanges.concat(this.#pendingChanges);
          this.#pendingChanges = [];
          applyJobChanges(
            transaction,
            commandChanges.map(({ change }) => change),
          );
        },
        settle: (error) => this.#completeWrite(commandChanges, error),
      });
    } catch (error) {
      if (this.#batcher.isOpen) this.#retryAfterCommit();
      else this.#retryLater(error);
    }
  }

  /**
   * Writes the pending changes at the end of the current commit. Called after the batcher rejected the command, usually
   * because its queue was full. At the end of a commit, the queue has free capacity, and other callers have not used it
   * yet.
   */
  #retryAfterCommit(): void {
    this.#commandState = 'none';
    this.#scheduledRetry?.[Symbol.dispose]();
    const idleListener = this.#batcher.commits.onIdle(() => {
      idleListener[Symbol.dispose]();
      this.#scheduledRetry = undefined;
      this.#writePending();
    });
    this.#scheduledRetry = idleListener;
  }

  #completeWrite(commandChanges: readonly PendingJobChange[], error: MonError | undefined): void {
    if (error === undefined) {
      this.#commandState = 'none';
      for (const { onStored } of commandChanges) onStored?.();
      this.#writePending();
    } else {
      this.#pendingChanges = [...commandChanges, ...this.#pendingChanges];
      this.#retryLater(error);
    }
    this.#onWriteEnd?.();
  }

  #retryLater(error: unknown): void {
    this.#commandState = 'none';
    this.#log.warn(
      { error: errorMessage(error), changes: this.#pendingChanges.length },
      this.#isDisposed
        ? 'could not store the outcomes of handler runs: the handlers run again after the next start'
        : 'could not store the outcomes of handler runs, retrying soon',
    );
    if (this.#isDisposed) return;
    this.#scheduledRetry?.[Symbol.dispose]();
    this.#scheduledRetry = this.#clock.after(RETRY_DELAY_MS, () => {
      this.#scheduledRetry = undefined;
      this.#writePending();
    });
  }
}

function applyJobChanges(transaction: Transaction, changes: readonly JobChange[]): void {
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
