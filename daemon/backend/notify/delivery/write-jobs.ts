import type { Actor } from '../../../../shared/schemas/audit.ts';
import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import { errorMessage, type MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import type { Clock } from '../../ports.ts';
import { recordAudit, type AuditedChange } from '../../model/audit/mutations.ts';
import type { Batcher } from '../../commit/batcher.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { deadLetterKey, handlerJobKey } from '../../model/notify/delivery/storage.ts';

/** A change of a stored run of a handler. */
export type JobChange =
  /** The run has finished. */
  | { readonly kind: 'finish'; readonly id: number }
  /** The run becomes a dead letter. */
  | { readonly kind: 'bury'; readonly id: number; readonly failure: JobFailure }
  /** The dead letter becomes a run again. */
  | { readonly kind: 'revive'; readonly id: number }
  /** The dead letter is dropped. */
  | { readonly kind: 'drop'; readonly id: number };

interface Pending {
  readonly change: JobChange;
  readonly onStored: (() => void) | undefined;
}

/** Delay before a change that the store rejected is tried again. */
const AGAIN_MS = 1000;

/**
 * Writes changes of stored runs through the batcher. One command at a time takes all changes since the last one. So
 * handlers that finish a thousand runs a second do not crowd out results.
 */
export class HandlerJobs implements Disposable {
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  #pending: Pending[] = [];
  /** The state of the one command: an `enqueued` command still takes pending changes, an `applied` one does not. */
  #state: 'none' | 'enqueued' | 'applied' = 'none';
  #again: Disposable | undefined;
  #isDisposed = false;
  #onWritten: (() => void) | undefined;

  constructor({ batcher, clock, log }: { readonly batcher: Batcher; readonly clock: Clock; readonly log: Log }) {
    this.#batcher = batcher;
    this.#clock = clock;
    this.#log = log;
  }

  /** Stores a change, with as many attempts as it takes. */
  settle(change: JobChange, onStored?: () => void): void {
    this.#pending.push({ change, onStored });
    if (this.#again === undefined) this.#write();
  }

  /**
   * Stores the changes of one request together.
   *
   * @throws MonError `unavailable`
   */
  apply(changes: readonly JobChange[], actor: Actor, audited: AuditedChange): Promise<void> {
    return this.#batcher.run((transaction) => {
      applyAll(transaction, changes);
      recordAudit(transaction, actor, audited);
    });
  }

  /** Passes all pending changes to the batcher, which writes them before it closes. */
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
          // The batcher calls this again when it has to rebuild the batch.
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

  /** Waits for the end of a commit: then the full queue has room, before other callers can take it. */
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
        // A record beside the job, so that the event is not written again.
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
