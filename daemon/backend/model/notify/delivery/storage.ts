import type { Key } from '../../../ports.ts';

/** Unfinished runs of handlers, and dead letters, in the order of their events. They are in the store only. */
export const HANDLER_JOBS = 'handler-job';
export const handlerJobKey = (id: number): Key => [HANDLER_JOBS, id];

/** The failures of dead letters by the id of the job. The job itself stays under `HANDLER_JOBS`. */
export const DEAD_LETTERS = 'dead-letter';
export const deadLetterKey = (id: number): Key => [DEAD_LETTERS, id];
