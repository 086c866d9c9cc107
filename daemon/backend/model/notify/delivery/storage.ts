import type { Key } from '../../../ports.ts';

/**
 * The key prefix of stored handler runs: unfinished ones and dead letters, in the order in which they were enqueued.
 * The registry does not load them.
 */
export const HANDLER_JOBS = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOBS, id];

/** The key prefix of the failures of dead letters, by job id. The failed job itself stays under `HANDLER_JOBS`. */
export const DEAD_LETTERS = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTERS, id];
