import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** Time, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that only measures intervals. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
  /** Calls `task` every `periodMs`, first after one period. */
  every(periodMs: number, task: () => void): Disposable;
}

/** For what is planned ahead. */
export interface PlanningClock extends Clock {
  /** As `now` for intervals: never goes back and never steps, whatever is done to the machine's clock. */
  steady(): number;
}

/** Starts a check, or says in the log why not. */
export type StartCheck = (check: CheckRequest) => void;

/** Takes over a finished result. It is safe once the promise is settled. */
export type DeliverResult = (result: SubmittedResult) => Promise<void>;
