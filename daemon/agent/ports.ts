import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** Starts a check, or logs why the check cannot be started. */
export type StartCheck = (check: CheckRequest) => void;

/**
 * Adds a result to the spool, from which it is sent to the backend. Rejects if the spool could not store the result.
 */
export type DeliverResult = (result: SubmittedResult) => Promise<void>;
