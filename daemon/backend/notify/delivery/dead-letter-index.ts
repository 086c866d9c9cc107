import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { QueuedJob } from './job-queue.ts';

/**
 * A dead letter in memory: a handler run that failed permanently, with the reason. The event of the run is only in the
 * store.
 */
export type DeadLetterEntry = Omit<QueuedJob, 'attempts'> & JobFailure;

/**
 * Maximum number of dead letters. If a new dead letter exceeds it, the oldest dead letter that no request is retrying
 * or dropping is deleted.
 */
const DEAD_LETTERS_MAX = 10_000;

/** The in-memory index of the dead letters of all handlers, and the maximum number of dead letters. */
export class DeadLetterIndex {
  /** The dead letters by the ids of their jobs, in the order in which they failed. */
  readonly entries = new Map<number, DeadLetterEntry>();
  readonly limit: number;

  constructor(limit = DEAD_LETTERS_MAX) {
    this.limit = limit;
  }

  /** True if the number of dead letters has reached the maximum. Adding a dead letter then deletes the oldest one. */
  get isFull(): boolean {
    return this.entries.size >= this.limit;
  }
}
