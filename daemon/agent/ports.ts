import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** Starts a check, or logs why it cannot. */
export type StartCheck = (check: CheckRequest) => void;

/** Delivers a finished result. The result is safe once the promise is resolved. */
export type DeliverResult = (result: SubmittedResult) => Promise<void>;
