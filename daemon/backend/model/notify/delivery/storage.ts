import type { Key } from '../../../ports.ts';

/**
 * The store key prefix of handler jobs: unfinished jobs and dead letters, in the order in which they were enqueued. The
 * registry does not load these records.
 */
export const HANDLER_JOB_PREFIX = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOB_PREFIX, id];

/**
 * The store key prefix of the records that say why a job became a dead letter, by job id. The job itself stays under
 * `HANDLER_JOB_PREFIX`.
 */
export const DEAD_LETTER_PREFIX = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTER_PREFIX, id];
