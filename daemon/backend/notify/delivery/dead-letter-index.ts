import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { JobTicket } from './job-queue.ts';

/**
 * A dead letter in memory: a handler run that failed permanently, and the reason. The event of the run is only in the
 * store.
 */
export type DeadLetterEntry = Omit<JobTicket, 'attempts'> & JobFailure;

/**
 * Maximum number of dead letters. When one more is added, the oldest one that no request is retrying or dropping is
 * deleted.
 */
const DEAD_LETTERS_MAX = 10_000;

/** The in-memory index of the dead letters of all handlers, with their maximum number. */
export class DeadLetterIndex {
  /** The dead letters by the ids of their jobs, in the order in which they failed. */
  readonly entries = new Map<number, DeadLetterEntry>();
  readonly limit: number;

  constructor(limit = DEAD_LETTERS_MAX) {
    this.limit = limit;
  }

  /** True if the maximum number of dead letters is reached, so that one more causes the deletion of the oldest. */
  get isFull(): boolean {
    return this.entries.size >= this.limit;
  }
}
