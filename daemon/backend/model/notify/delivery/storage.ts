import type { Key } from '../../../ports.ts';

/**
 * The store key prefix of handler runs: unfinished ones and dead letters, in the order in which they were enqueued. The
 * registry does not load these records.
 */
export const HANDLER_JOBS = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOBS, id];

/** The store key prefix of the failures of dead letters, by job id. The job itself stays under `HANDLER_JOBS`. */
export const DEAD_LETTERS = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTERS, id];
