import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';

/** The time source, which tests replace. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Returns the milliseconds of a clock that only measures intervals. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`. */
  after(delayMs: number, task: () => void): Disposable;
  /** Calls `task` every `periodMs`, first after one period. */
  every(periodMs: number, task: () => void): Disposable;
}

/** A clock with which times in the future can be planned. */
export interface PlanningClock extends Clock {
  /**
   * Returns the milliseconds of a clock for intervals. It never goes back and never jumps, even if the machine's clock
   * is set.
   */
  steady(): number;
}

/** Starts a check, or logs why it cannot. */
export type StartCheck = (check: CheckRequest) => void;

/** Delivers a finished result. The result is safe once the promise is resolved. */
export type DeliverResult = (result: SubmittedResult) => Promise<void>;
