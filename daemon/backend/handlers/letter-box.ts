import type { JobFailure } from '../../../shared/schemas/handler-job.ts';
import type { Ticket } from './job-queue.ts';

/** A run that failed for good; its event is in the store. */
export type DeadLetterEntry = Omit<Ticket, 'attempts'> & JobFailure;

/** Most dead letters; beyond it the oldest go. */
const DEAD_LETTERS_MAX = 10_000;

/** Where dead letters lie, and how many have a place. */
export class LetterBox {
  /** By id, in the order in which they failed. */
  readonly entries = new Map<number, DeadLetterEntry>();
  readonly limit: number;

  constructor(limit = DEAD_LETTERS_MAX) {
    this.limit = limit;
  }

  /** Whether a further one would drive out the oldest. */
  get isFull(): boolean {
    return this.entries.size >= this.limit;
  }
}
