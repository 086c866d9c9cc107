import type { Key } from '../ports.ts';

/** Runs of handlers that are not over, and dead letters, in the order of their events: in the store alone. */
export const HANDLER_JOBS = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOBS, id];

/** Why runs of handlers failed for good, by the id of the job, which is kept beside it. */
export const DEAD_LETTERS = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTERS, id];
