import type { JobFailure } from '../../../../shared/schemas/handler-job.ts';
import type { Ticket } from './job-queue.ts';

/** A run that failed permanently; its event is in the store. */
export type DeadLetterEntry = Omit<Ticket, 'attempts'> & JobFailure;

/** Most dead letters; beyond that the oldest are dropped. */
const DEAD_LETTERS_MAX = 10_000;

/** The dead letters in memory, with their limit. */
export class DeadLetterIndex {
  /** Dead letters by id, in the order in which they failed. */
  readonly entries = new Map<number, DeadLetterEntry>();
  readonly limit: number;

  constructor(limit = DEAD_LETTERS_MAX) {
    this.limit = limit;
  }

  /** True if one more dead letter would drop the oldest. */
  get isFull(): boolean {
    return this.entries.size >= this.limit;
  }
}
